// c_state: data of C in `now`, with a first value.
// run: check --reduce none
// verdict: verified
// states: 9
c_decl { typedef struct { int left, right; } Both; }
c_state "int n" "Global" "5"
c_state "Both both" "Global"
active proctype P() { assert(c_expr { now.n == 5 }); do :: c_expr { now.n < 7 } -> c_code { now.n++; now.both.left = now.n; } :: else -> break od; assert(c_expr { now.both.left == 7 }) }

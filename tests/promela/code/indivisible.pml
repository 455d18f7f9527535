// C code in atomic and d_step sequences.
// run: check --reduce none
// verdict: verified
// states: 9
c_decl { int n; }
c_track "&n" "sizeof(int)"
byte x;
active proctype P() { d_step { c_code { n = 1; }; x = 1; c_code { n += now.x; } }; atomic { c_code { n++; }; x = 2 }; assert(c_expr { n == 3 }) }
active proctype Q() { do :: d_step { c_expr { n == 1 } -> assert(false) } :: c_expr { n == 3 } -> break od }

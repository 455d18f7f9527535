// C data belong to a state whether they are tracked or not.
// run: check
// verdict: violated assertion
// with: --workers 1 | --workers 2 | --search depth
c_decl { int n; }
active proctype P() { do :: c_code { n = (n + 1) % 3; } :: c_expr { n == 2 } -> break od; assert(false) } // fails

// A claim that looks at C data.
// run: check
// verdict: violated ltl
c_decl { int n; }
active proctype P() { do :: c_code { n = (n + 1) % 4; } :: c_code { n = 0; } od }
never { do :: c_expr { n == 3 } -> break :: else od } // fails

// A formula about C data, and one that does not hold.
// run: check => violated ltl
// run: check --property never_far => verified
// run: check --property comes => violated ltl
c_decl { int n; }
active proctype P() { do :: c_code { n = (n + 1) % 4; } :: skip od }
ltl never_far { [] (c_expr { n < 4 }) }
ltl comes { <> (c_expr { n == 3 }) } // fails

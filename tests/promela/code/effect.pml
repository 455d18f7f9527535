// An expression whose value comes with an effect is no expression to look at.
// run: check
// verdict: unknown a `c_expr` changes data
c_decl { int n; int next(void) { return ++n; } }
active proctype P() { c_expr { next() == 2 } }

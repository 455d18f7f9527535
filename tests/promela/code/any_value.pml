// What the model does not choose, C does not choose either.
// run: check
// verdict: unknown let the model choose it
int x;
c_decl { extern int __VERIFIER_nondet_int(void); }
active proctype P() { c_code { now.x = __VERIFIER_nondet_int(); } }

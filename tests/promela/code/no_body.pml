// A function without a body, whatever is asked for.
// run: check
// run: check --property end-state
// run: check --property p
// verdict: unknown `elsewhere` has no body
c_decl { void elsewhere(void); }
byte x;
active proctype P() { x = 1; c_code { elsewhere(); } }
ltl p { [] (x < 2) }

// A model whose first state cannot be made has no executions; what is wrong with it is told, whatever is claimed.
// run: check --property p
// run: check
// verdict: violated division-by-zero
int x = 1 / 0; // fails

active proctype A() { do :: x = 1 - x od }

ltl p { [] <> (x == 1) }

// A process that can move only now and then may be passed over for ever, also in fair executions.
// run: check --property p => violated ltl
// run: check --property p --fair => violated ltl
byte x, n;
active proctype one() { do :: n = 1 - n od }
active proctype two() { n == 1; x = 1 }
ltl p { <>(x == 1) } // fails

// Weak fairness makes a process that can always move, move.
// run: check --property p => violated ltl
// run: check --property p --fair => verified
byte x, n;
active proctype one() { do :: n = 1 - n od }
active proctype two() { x = 1 }
ltl p { <>(x == 1) } // fails

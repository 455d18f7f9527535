// Beside a claim, SPIN counts the claim as a process.
// run: check --property assertion,end-state => verified
// run: check --property p => verified
byte x;
active proctype one() { do :: _nr_pr == 1 -> x = 0 :: _nr_pr == 2 -> x = 1 od }
ltl p { <>(x == 1) }

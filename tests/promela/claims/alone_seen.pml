// What a process does when it is the last is seen by claims, step by step.
// run: check --property p => violated ltl
// run: check --reduce none --property p => violated ltl
byte x;
active proctype Last() { atomic { _nr_pr == 2 -> x = 1 } atomic { _nr_pr == 2 -> x = 2 } atomic { _nr_pr == 2 -> x = 3 } }
ltl p { [] (x != 1) } // fails

// What has ended stays as it is.
// run: check --property p => violated ltl
// run: check --property q => verified
// run: check --property deadlocked => violated ltl
byte x;
active proctype one() { x = 1; x = 2; x == 0 }
ltl p { []<>(x != 2) } // fails
ltl q { <>[](x == 2) }
ltl deadlocked { <>(x == 3) } // fails

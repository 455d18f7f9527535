// Accepting cycles of a claim with labels.
// run: check --property never_0 => violated ltl
// run: check --property other => verified
byte x;
active proctype one() { do :: x = (x + 1) % 4 :: x == 2 od }
never { T0: do :: true :: x == 2 -> goto accept od; accept: do :: x == 2 od } // fails
never other { T0: do :: true :: x == 1 -> goto accept od; accept: do :: x == 1 od }

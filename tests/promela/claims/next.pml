// The next state is the one behind the next step of anybody.
// run: check --property p => verified
// run: check --property q => violated ltl
byte x;
active proctype one() { do :: x == 0 -> x = 1 :: x == 1 -> x = 2 :: x == 2 -> x = 0 od }
ltl p { []((x == 1) -> X X ((x == 1) || (x == 2))) }
ltl q { []((x == 1) -> X (x == 2)) } // fails

// Who moved last.
// run: check --property p => violated ltl
// run: check --property p --fair => verified
// run: check --property q => verified
byte x;
active proctype one() { do :: x = 0 od }
active proctype two() { do :: x = 1 od }
ltl p { []<>(_last == 1) } // fails
ltl q { [](_last <= 1) }

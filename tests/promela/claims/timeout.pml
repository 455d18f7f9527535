// When nothing else is possible, timeout is, and the claim sees it.
// run: check --property p => verified
// run: check --property never_0 => violated ltl
byte x;
active proctype one() { do :: x < 2 -> x++ :: timeout -> x = 0 od }
ltl p { []<>(x == 0) }
never { do :: timeout -> break :: true od } // fails

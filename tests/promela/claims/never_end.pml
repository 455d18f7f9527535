// A claim that comes to its end is violated, whatever follows.
// run: check --property never_0 => violated ltl
byte x;
active proctype one() { do :: x = (x + 1) % 4 od }
never { do :: x == 3 -> break :: else od } // fails

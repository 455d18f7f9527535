// A claim that cannot move ends the search there: x is 3 only behind.
// run: check --property never_0 => verified, 3 states
byte x;
active proctype one() { do :: x = (x + 1) % 4 od }
never { do :: x < 2 od; accept: do :: true od }

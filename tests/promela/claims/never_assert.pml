// Assertions of claims, in an atomic sequence as spin -f writes them.
// run: check --property never_0 => violated assertion
byte x;
active proctype one() { do :: x = (x + 1) % 4 od }
never { T0: do :: atomic { x == 2 -> assert(!(x == 2)) } :: true od } // fails

// A claim that may end where it begins is violated at once, whatever it could do from there.
// run: check --property never_0 => violated ltl
// run: check --property never_0 --fair => violated ltl
// with: --store tree | --reduce none | --workers 1 | --search depth
byte x;
active proctype count() { x = 1; x = 2 }
never { end: do :: x == 9 od } // fails

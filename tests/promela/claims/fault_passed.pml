// An assertion fails on the way to a cycle, and leaves a value behind that nobody looks at again.
// run: check --property p => violated ltl
// run: check --reduce none --property p => violated ltl
byte x, y;
active proctype Fails() { byte dead; dead = 3; assert(dead == 4); x = 1; x = 2; do :: y = 1 - y od }
active proctype Other() { byte i; i = 1; y = i; i = 2 }
ltl p { <> (x == 3) } // fails

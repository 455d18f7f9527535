// Assertions that fail on some paths.
// states: 31
// faults: 4
byte x;
active [2] proctype P() { x++; assert(x == 1); x--; assert(x < 2) }

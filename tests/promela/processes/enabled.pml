// enabled() looks at what another process could do.
// states: 25
// invalid-ends: 3
byte x;
active proctype P() { x == 1; x = 2; x == 3; x = 4 }
active proctype Q() { !enabled(0); x = 1; enabled(0) -> x = x + 2; x = 3 }

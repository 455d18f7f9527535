// End labels make waiting valid; without them it is not.
// states: 5
// invalid-ends: 1
chan q = [1] of { byte }; byte x;
active proctype P() { end: do :: q?x od }
active proctype Q() { q!1; q!2; x == 9 }
active proctype R() { end_wait: x == 8; x = 0 }

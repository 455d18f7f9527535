// A deterministic process type.
// states: 21
// invalid-ends: 2
byte x;
active D_proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od }
active proctype Q() { x == 2; x = 3 }

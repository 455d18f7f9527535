// Processes that run only while something holds.
// states: 12
// invalid-ends: 1
bit turn; byte x;
active proctype P() provided (turn == 0) { do :: x < 3 -> x++; turn = 1 :: else -> break od }
active proctype Q() provided (turn == 1 || x == 9) { do :: x < 3 -> x++; turn = 0 :: else -> break od }

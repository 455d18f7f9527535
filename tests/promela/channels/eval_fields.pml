// Constants, eval and _ in receives.
// states: 51
// invalid-ends: 1
mtype = { one, two }; chan q = [3] of { mtype, byte, byte }; byte x = 2, y;
active proctype P() { q!one, 1, 5; q!two, 2, 6; q!one(2, 7) }
active proctype Q() { do :: q?one, y, _ :: q?two(eval(x), y) :: y == 6 -> break od }
active proctype R() { x = 3; x = 2 }

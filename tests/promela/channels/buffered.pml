// Buffered channels: full, empty, messages of several fields.
// states: 33
chan q = [2] of { byte, int }; byte x; int y;
active proctype P() { byte i; do :: i < 3 -> q!i, i * 100; i++ :: i == 3 -> break od }
active proctype Q() { do :: q?x, y :: x == 2 -> break od }

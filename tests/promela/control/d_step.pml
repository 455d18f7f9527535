// Deterministic steps: the first option that is executable, loops, an assignment behind.
// states: 20
// invalid-ends: 1
byte x, y; chan q = [2] of { byte };
active proctype P() {
    byte i;
    d_step { i = 0; do :: i < 4 -> i++; x = x + 1 :: else -> break od; if :: x > 2 -> y = 1 :: x > 1 -> y = 2 fi };
    d_step { q?i; x = i };
    d_step { (y == 3); y = 4 };
    x = 0
}
active proctype Q() { q!7; y = 3 }

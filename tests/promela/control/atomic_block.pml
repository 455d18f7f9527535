// Atomic sequences: blocked in the middle, left by a jump, entered by one.
// states: 26
// invalid-ends: 1
byte x, y;
active proctype P() {
    atomic { x++; x++; y == 1; x++; x++ };
    atomic { if :: x > 3 -> goto inside :: else -> x = 0; goto out fi; y = 2 };
    x = 7;
    atomic { x = 8;
inside:
    y = 3; y = 4 };
out:
    x = 1
}
active proctype Q() { y = 1; atomic { x = x + 1; y = y + 1 } }

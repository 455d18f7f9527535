// Escapes from atomic sequences and with labels.
// states: 40
// invalid-ends: 1
byte x, y;
active proctype P() {
L:  atomic { x = 1; x = 2; y == 2; x = 3 } unless { y == 1; x = 8 };
    if :: x < 9 -> x = 9; goto L :: else fi
}
active proctype Q() { y = 1; y = 2; y = 3 }

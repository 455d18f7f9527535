// A deadlock among processes that sleep on the way to it.
// states: 177
// invalid-ends: 1
bit left, right; byte n;
active proctype One() { atomic { !left -> left = 1 } atomic { !right -> right = 1 } right = 0; left = 0 }
active proctype Two() { atomic { !right -> right = 1 } atomic { !left -> left = 1 } left = 0; right = 0 }
active proctype Ticks() { byte i; do :: i < 3 -> i++ :: else -> break od }

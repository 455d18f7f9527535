// A loop inside an atomic sequence, and one that ends with a loop.
// states: 27
byte x, y;
active [2] proctype P() {
    byte i;
    atomic { i = 0; do :: i < 3 -> i++; x = x + i :: i >= 3 -> break od };
    y++;
    atomic { do :: x > 6 -> x = x - 6 :: else -> break od }
}

// Escapes: from simple statements, from loops, nested.
// states: 147
// invalid-ends: 2
byte x, y;
active proctype P() {
    { do :: x < 4 -> x++ :: x == 4 -> x = 0 od } unless { y == 1 -> x = 9 };
    { { y = 2; y = 3; y = 4 } unless { x == 10 -> y = 8 } } unless { x == 11 -> y = 7 };
    x = 1 unless y == 5
}
active proctype Q() { y = 1; x = 10; x = 11; y = 5 }

// A process that looks at labels of its own type, above.
// states: 124
byte x;
active [2] proctype P0() {
L0: x++;
L0a: skip;
    do
    :: P0[0]@L0a -> break
    :: P0[1]@L0 -> break
    :: x < 4 -> x++
    :: x >= 4 -> break
    od;
    assert(x < 8)
}

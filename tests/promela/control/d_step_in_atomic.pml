// A deterministic step in the middle of an atomic sequence.
// states: 19
byte x, y;
active [2] proctype P() {
    atomic { x++; d_step { y = x; y = y * 2 }; x = y };
    d_step { x = x + y; skip }
}

// `else` after the guard, and a selection without executable options.
// states: 17
// invalid-ends: 1
byte x;
active proctype P() {
    if :: x == 1 -> x = 5 :: x == 2 fi;
    else;
    x = 7
}
active proctype Q() { x = 2; x = 3 }

// Labels inside options and before jumps.
// states: 33
// invalid-ends: 3
byte x;
active proctype P() {
    do
    :: x < 3 -> progress: x++; if :: x == 2 -> end1: goto wait :: x == 1 fi
    :: x == 3 -> break
    od;
    goto away;
wait: x == 7;
away: skip
}
active proctype Q() { x = 1; x = 7 }

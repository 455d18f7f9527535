// Jumps and skips: which of them are states of their own.
// states: 118
byte x;
active proctype P() {
again:
    x++;
    if
    :: x < 5 -> goto again
    :: x == 5 -> skip; skip; skip; goto done
    :: else -> x = 0
    fi;
    x = 9;
done:
    skip
}
active proctype Q() { byte y; do :: y < 3 -> y++ :: else -> break od }

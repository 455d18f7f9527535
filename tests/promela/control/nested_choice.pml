// Selections that begin with selections; `else` in the middle of the options.
// states: 22283
byte x, y;
active [2] proctype P() {
    do
    :: if :: x < 2 -> x++ :: x > 0 -> x-- fi
    :: else -> break
    :: do :: y < 2 -> y++; break :: y == 2 -> goto out od
    od;
out:
    skip
}

// Accept labels of processes.
// run: check --property acceptance => violated ltl
// run: check --property acceptance --fair => verified
byte x;
active proctype one() {
    do
    :: x == 0 -> accept: skip // fails
    :: x == 1 -> break
    od
}
active proctype two() { x = 1 }

// A precondition of C code that does not hold is a failed assertion.
// run: check
// verdict: violated assertion
// stdout: the precondition `now.x != 2` does not hold
byte x;
active proctype P() {
    do
    :: x < 3 -> x++
    :: c_code [now.x != 2] { now.x = now.x; } // fails
    :: x == 3 -> break
    od
}

// An indeterminate value does not get into a variable of the model.
// run: check
// verdict: violated uninitialized
// stdout: leaves an indeterminate value in `now.x`
byte x;
active proctype P() {
    c_code { int n; now.x = n; } // fails
}

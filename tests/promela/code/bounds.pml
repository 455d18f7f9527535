// An index outside of a C array, computed from a variable of the model.
// run: check
// verdict: violated out-of-bounds
byte x;
c_decl { int cells[4]; }
active proctype P() {
    do
    :: x++; c_code {
        cells[now.x] = 1; // fails
    }
    od
}

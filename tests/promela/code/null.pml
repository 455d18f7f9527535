// A null pointer in C code.
// run: check
// verdict: violated null-dereference
c_decl { int *p; }
active proctype P() {
    c_code { *p = 1; } // fails
}

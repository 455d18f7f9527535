// An indeterminate value that decides.
// run: check
// verdict: violated uninitialized
active proctype P() {
    c_code {
        int n;
        if (n) now.x = 1; // fails
    }
}
byte x;

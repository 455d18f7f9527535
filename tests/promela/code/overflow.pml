// Overflow is found in C, where it has no meaning.
// run: check
// verdict: violated overflow
int x = 2147483647;
active proctype P() {
    c_code { now.x = now.x + 1; } // fails
}

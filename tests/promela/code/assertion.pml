// An assertion in a C function that a model calls, and the way there.
// run: check
// verdict: violated assertion
// stdout: P
c_decl {
    \#include <assert.h>
    void low(int n) {
        assert(n < 3); // fails
    }
}
byte x;
active proctype P() { do :: x < 5 -> x++; c_code { low(now.x); } :: else -> break od }

// A value that may be anything has no value of its own.
// run: check
// verdict: violated assertion
#include <assert.h>

int main(void) {
    int x = 3;
    int y = __builtin_nondeterministic_value(x);
    assert(y == x); // fails
    return 0;
}

// What runs before the end of the program still counts.
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>

int main(void) {
    volatile int zero = 0;
    assert(zero); // fails
    return 1 / zero;
}

// The same arithmetic with the default properties.
// run: check
// verdict: violated overflow
#include <limits.h>

int main(void) {
    volatile int large = INT_MAX, one = 1;
    return large + one; // fails
}

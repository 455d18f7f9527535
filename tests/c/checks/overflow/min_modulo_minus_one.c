// run: check
// verdict: violated overflow
// The remainder is undefined where the quotient is.
#include <limits.h>
int main(void) {
    long x = LONG_MIN, y = -1;
    return x % y != 0; // fails
}

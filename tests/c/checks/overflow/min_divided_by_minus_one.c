// run: check
// verdict: violated overflow
// The quotient of INT_MIN and -1 does not fit.
#include <limits.h>
int main(void) {
    int x = INT_MIN, y = -1;
    return x / y; // fails
}

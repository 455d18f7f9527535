// run: check
// verdict: verified
// A floating quotient by zero is infinity.
#include <assert.h>
int main(void) {
    double zero = 0, x = 1 / zero;
    assert(x > 1e308);
    return 0;
}

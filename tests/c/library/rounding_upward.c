// Another direction of rounding would change results, so it is not ignored.
// run: check
// verdict: unknown rounding that is not to nearest
#include <assert.h>
#include <fenv.h>

int main(void) {
    fesetround(FE_UPWARD);
    volatile double one = 1.0, three = 3.0;
    double up = one / three;
    fesetround(FE_DOWNWARD);
    assert(up > one / three);
    return 0;
}

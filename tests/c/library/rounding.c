// Rounding to nearest is what there is.
// run: check
// verdict: verified
#include <assert.h>
#include <fenv.h>

int main(void) {
    assert(fesetround(FE_TONEAREST) == 0 && fegetround() == FE_TONEAREST);
    assert(fesetround(12345) != 0);
    assert((fetestexcept(FE_INEXACT) & ~FE_INEXACT) == 0);
    fenv_t environment;
    assert(fegetenv(&environment) == 0 && fesetenv(FE_DFL_ENV) == 0);
    return 0;
}

// One divisor is left that must not be.
// run: check --engine sat
// verdict: violated division-by-zero
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    unsigned q = 0;
    if (b > 5 || b * 8 == 0)
        q = a / b; // fails
    assert(q != 4294967295u || b != 6);
    return 0;
}

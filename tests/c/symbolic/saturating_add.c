// A saturating sum is never smaller than either number.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned add(unsigned a, unsigned b)
{
    unsigned c = a + b;
    return c < a ? 0xFFFFFFFFu : c;
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    assert(add(a, b) >= a && add(a, b) >= b);
    return 0;
}

// Overflow is not always noticed.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned add(unsigned a, unsigned b)
{
    unsigned c = a + b;
    return c < a / 2 ? 0xFFFFFFFFu : c;
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    assert(add(a, b) >= a && add(a, b) >= b); // fails
    return 0;
}

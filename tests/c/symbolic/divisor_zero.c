// A divisor that was looked at is not zero.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    unsigned q = 0;
    if (b > 5)
        q = a / b;
    assert(q != 4294967295u || b != 6);
    return 0;
}

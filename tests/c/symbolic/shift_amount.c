// An amount of a shift that is masked is small enough.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint();
    unsigned left = x << (n & 31);
    unsigned right = x >> ((32 - (n & 31)) & 31);
    unsigned rotated = left | right;
    assert((rotated != 0) == (x != 0));
    return 0;
}

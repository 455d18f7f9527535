// x & (x - 1) clears the lowest bit.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned short __VERIFIER_nondet_ushort(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_ushort() & 1023;
    unsigned y = x & (x - 1);
    if (x != 0) {
        assert(y < x);
        assert(__builtin_popcount(y) + 1 == __builtin_popcount(x));
    }
    return 0;
}

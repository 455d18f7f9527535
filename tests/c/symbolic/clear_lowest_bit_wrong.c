// x & (x - 2) clears something else.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned short __VERIFIER_nondet_ushort(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_ushort() & 1023;
    unsigned y = x & (x - 2);
    if (x != 0) {
        assert(y < x); // fails
        assert(__builtin_popcount(y) + 1 == __builtin_popcount(x)); // fails
    }
    return 0;
}

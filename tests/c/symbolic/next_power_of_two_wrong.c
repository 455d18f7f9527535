// A power of two is followed by the next one.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    __VERIFIER_assume(x >= 1 && x <= 0x80000000u);
    unsigned p = x;
    p |= p >> 1;
    p |= p >> 2;
    p |= p >> 4;
    p |= p >> 8;
    p |= p >> 16;
    p++;
    assert((p & (p - 1)) == 0 && p >= x);
    assert(p / 2 < x); // fails
    return 0;
}

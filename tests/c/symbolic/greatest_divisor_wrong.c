// One remainder is taken for zero.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

static unsigned gcd(unsigned a, unsigned b)
{
    while (b) {
        unsigned r = a % b == 5 ? 0 : a % b;
        a = b;
        b = r;
    }
    return a;
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uchar() & 15, b = __VERIFIER_nondet_uchar() & 15;
    __VERIFIER_assume(a > 0 && b > 0);
    unsigned d = gcd(a, b);
    assert(d > 0 && a % d == 0); // fails
    assert(b % d == 0); // fails
    return 0;
}

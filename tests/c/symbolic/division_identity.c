// Quotient and remainder give the number back.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    __VERIFIER_assume(b > 0 && b < 8 && a > -200 && a < 200);
    int q = a / b, r = a % b;
    assert(q * b + r == a);
    assert(r > -b && r < b);
    assert(a < 0 || r >= 0);
    return 0;
}

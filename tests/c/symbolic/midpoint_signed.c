// a + (b - a) / 2 is fine for numbers that are not negative.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= a && a <= b);
    int m = a + (b - a) / 2;
    assert(a <= m && m <= b);
    return 0;
}

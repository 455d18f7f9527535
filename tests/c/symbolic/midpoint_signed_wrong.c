// a + (b - a) / 2 overflows if the signs differ.
// run: check --engine sat
// verdict: violated overflow
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    __VERIFIER_assume(a <= b);
    int m = a + (b - a) / 2; // fails
    assert(a <= m && m <= b);
    return 0;
}

// The middle of neighbours is the lower one.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int middle(int a, int b)
{
    return (int)(((unsigned)a ^ 0x80000000u) / 2 + ((unsigned)b ^ 0x80000000u) / 2 +
                 ((unsigned)a & (unsigned)b & 1)) ^ (int)0x80000000u;
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    __VERIFIER_assume(a <= b);
    int m = middle(a, b);
    assert(a < m || m == b); // fails
    return 0;
}

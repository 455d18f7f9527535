// The absolute value of all numbers but one is not negative.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int absolute(int x) { return x < 0 ? -x : x; }

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x != -2147483647 - 1);
    assert(absolute(x) >= 0);
    return 0;
}

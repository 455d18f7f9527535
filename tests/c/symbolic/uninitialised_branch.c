// A variable has a value on all ways to its use.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x, a = __VERIFIER_nondet_int();
    if (a > 1000)
        x = 1;
    else if (a <= 1000)
        x = 2;
    if (x == 1)
        assert(a > 1000);
    return 0;
}

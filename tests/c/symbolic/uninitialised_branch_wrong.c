// On one way it has none.
// run: check --engine sat
// verdict: violated uninitialized
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x, a = __VERIFIER_nondet_int();
    if (a > 1000)
        x = 1;
    else if (a < 1000)
        x = 2;
    if (x == 1) // fails
        assert(a > 1000);
    return 0;
}

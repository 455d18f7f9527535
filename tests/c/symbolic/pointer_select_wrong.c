// At the border another variable is meant.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = 1, b = 2, c = 3;
    int x = __VERIFIER_nondet_int();
    int *p = x > 10 ? &a : x < -10 ? &b : &c;
    *p += 10;
    assert(a + b + c == 16);
    assert(x < 10 || a == 11); // fails
    return 0;
}

// The sum of two numbers does not fit.
// run: check --engine sat
// verdict: violated overflow
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    long sum = (long)(a + b) + c; // fails
    assert(sum / 3 >= -2147483648L && sum / 3 <= 2147483647L);
    return 0;
}

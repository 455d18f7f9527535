// Negative numbers come nearer to zero.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);

int main(void)
{
    int a = __VERIFIER_nondet_short() % 1024, b = __VERIFIER_nondet_uchar();
    int product = a * b >> 8;
    assert(product >= -32768 && product <= 32767);
    assert(product <= a); // fails
    return 0;
}

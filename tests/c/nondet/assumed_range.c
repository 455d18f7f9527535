// An assumption right after the call narrows the input before it is enumerated.
// run: check
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int table[10];
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n < 10);
    for (int i = 0; i < 10; i++)
        table[i] = i * i;
    assert(table[n] == n * n);
    return 0;
}

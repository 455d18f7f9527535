// The last number is never looked at.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a[4];
    for (int i = 0; i < 4; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2 - i; j++)
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
    for (int i = 0; i < 3; i++)
        assert(a[i] <= a[i + 1]); // fails
    return 0;
}

// Binary search finds the first number that is not smaller.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int a[8];

int main(void)
{
    int key = __VERIFIER_nondet_int();
    for (int i = 0; i < 8; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 7; i++)
        __VERIFIER_assume(a[i] <= a[i + 1]);
    int low = 0, high = 8;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 8 || a[low] >= key);
    assert(low == 0 || a[low - 1] < key);
    return 0;
}

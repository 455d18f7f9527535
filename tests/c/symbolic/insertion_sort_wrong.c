// A number that is greater by one stays in front.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned a[4];
    for (int i = 0; i < 4; i++)
        a[i] = __VERIFIER_nondet_uint();
    for (int i = 1; i < 4; i++) {
        unsigned key = a[i];
        int j = i - 1;
        while (j >= 0 && a[j] > key + 1) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = key;
    }
    assert(a[0] <= a[1] && a[1] <= a[2] && a[2] <= a[3]); // fails
    return 0;
}

// The loop runs one time too often for even sizes.
// run: check --engine sat
// verdict: violated out-of-bounds
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 6)
        return 0;
    int *a = malloc(n * sizeof *a);
    for (unsigned i = 0; i <= n / 2 * 2; i++)
        a[i] = (int)i; // fails
    assert(a[n - 1] == (int)n - 1);
    free(a);
    return 0;
}

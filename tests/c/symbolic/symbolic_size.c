// An array of a size that depends on inputs is used inside its bounds.
// run: check --engine sat
// verdict: verified
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 6)
        return 0;
    int *a = malloc(n * sizeof *a);
    for (unsigned i = 0; i < n; i++)
        a[i] = (int)i;
    assert(a[n - 1] == (int)n - 1);
    free(a);
    return 0;
}

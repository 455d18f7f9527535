// A pointer that may be null is looked at before it is used.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

static int *find(int *a, int n, int x)
{
    for (int i = 0; i < n; i++)
        if (a[i] == x)
            return &a[i];
    return 0;
}

int main(void)
{
    int a[4] = {__VERIFIER_nondet_int(), __VERIFIER_nondet_int(), 5, 9};
    int x = __VERIFIER_nondet_int();
    int *p = find(a, 4, x);
    if (p || x == 5)
        assert(*p == x);
    return 0;
}

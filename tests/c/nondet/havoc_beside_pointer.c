// Bytes beside a pointer become any value; the pointer stays.
// run: check
// verdict: verified
#include <assert.h>

static int x;

int main(void) {
    struct {
        int n;
        int *p;
    } s = {3, &x};
    __CPROVER_havoc_slice(&s, sizeof s.n);
    assert(s.p == &x);
    return 0;
}

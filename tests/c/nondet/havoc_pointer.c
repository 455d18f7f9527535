// A pointer among bytes that become any value is not what it was.
// run: check -DSLICE => violated assertion
// run: check => violated assertion
#include <assert.h>

static int x;

int main(void) {
    int *p = &x, *q = p;
#ifdef SLICE
    __CPROVER_havoc_slice(&p, sizeof p);
#else
    __CPROVER_havoc_object(&p);
#endif
    assert(p == q); // fails
    return 0;
}

// Calls that change the same variable in one expression: C leaves their order open, so it is said.
// run: check
// verdict: verified
// assumption: C leaves the order of the calls at
#include <assert.h>

static int n;

static int next(void) { return ++n; }
static int twice(void) { return n *= 2; }

int main(void) {
    assert(next() - twice() == -1);
    return 0;
}

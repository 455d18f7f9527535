// run: check
// verdict: verified
// The right side of && is not evaluated when the left side is false.
#include <assert.h>
static int n_calls;
static int call(void) { return ++n_calls; }
int main(void) {
    int zero = 0;
    if (zero && call()) return 1;
    assert(n_calls == 0);
    return 0;
}

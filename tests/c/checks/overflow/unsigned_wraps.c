// run: check
// verdict: verified
// Unsigned arithmetic wraps.
#include <assert.h>
#include <limits.h>
int main(void) {
    unsigned x = UINT_MAX;
    assert(x + 1 == 0);
    assert(0u - 1 == UINT_MAX);
    return 0;
}

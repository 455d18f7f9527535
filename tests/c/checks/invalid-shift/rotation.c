// run: check
// verdict: verified
// The usual rotation masks its counts.
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
static unsigned rotate(unsigned x, unsigned n) { return x << (n & 31) | x >> (-n & 31); }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 64) return 0;
    assert(rotate(rotate(1, n), 64 - n) == 1);
    return 0;
}

// The same without the carry of the lower byte.
// run: check
// verdict: violated assertion
#include <assert.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char low = __VERIFIER_nondet_uchar(), carry;
    unsigned char sum_low = __builtin_addcb(low, 200, 0, &carry);
    unsigned char sum_high = __builtin_addcb(1, 0, 0, &carry);
    assert((sum_high << 8 | sum_low) == (1 << 8 | low) + 200); // fails
    return 0;
}

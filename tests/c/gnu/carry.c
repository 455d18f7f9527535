// Sums and differences of two words, with carry.
// run: check
// verdict: verified
#include <assert.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char low = __VERIFIER_nondet_uchar(), carry, borrow;
    unsigned char sum_low = __builtin_addcb(low, 200, 0, &carry);
    unsigned char sum_high = __builtin_addcb(1, 0, carry, &carry);
    assert((sum_high << 8 | sum_low) == (1 << 8 | low) + 200);
    assert(carry == 0);
    unsigned char low_again = __builtin_subcb(sum_low, 200, 0, &borrow);
    assert(low_again == low && __builtin_subcb(sum_high, 0, borrow, &borrow) == 1);
    unsigned long out;
    assert(__builtin_addcl(-1ul, -1ul, 1, &out) == -1ul && out == 1);
    return 0;
}

// Bits that leave a rotated byte come in again on the other side; a shift loses them.
// run: check
// verdict: violated assertion
#include <assert.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char x = __VERIFIER_nondet_uchar();
    assert(__builtin_rotateleft8(x, 1) == (unsigned char)(x << 1)); // fails
    return 0;
}

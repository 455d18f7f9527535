// The generic counts take any width without promotion, and what zero gives.
// run: check
// verdict: verified
#include <assert.h>

unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char byte = __VERIFIER_nondet_uchar();
    int n = __builtin_clzg(byte, 8);
    assert(byte == 0 ? n == 8 : n >= 0 && n < 8 && byte >> (7 - n) == 1);
    assert(__builtin_ctzg(byte, -1) >= -1 && __builtin_ctzg(byte, -1) < 8);
    assert(__builtin_clzg((unsigned short)1) == 15);
    assert(__builtin_clzg(1ull) == 63);
    assert(__builtin_popcountg((unsigned char)0xFF) == 8);
    return 0;
}

// Functions that clang has built in: rotation by any amount, reversal of bits, declared once more or not at all.
// run: check
// verdict: verified
#include <assert.h>

unsigned char __VERIFIER_nondet_uchar(void);
unsigned short __builtin_rotateleft16(unsigned short, unsigned short);
int __builtin_popcount(unsigned);

static unsigned char reversed(unsigned char x) {
    unsigned char result = 0;
    for (int i = 0; i < 8; i++)
        if (x >> i & 1) result |= 0x80 >> i;
    return result;
}

int main(void) {
    unsigned char x = __VERIFIER_nondet_uchar(), n = __VERIFIER_nondet_uchar() % 10;
    assert(__builtin_rotateleft8(x, 3) == (unsigned char)(x << 3 | x >> 5));
    assert(__builtin_rotateright8(__builtin_rotateleft8(x, n), n) == x);
    assert(__builtin_bitreverse8(x) == reversed(x));
    assert(__builtin_rotateleft16(0x8001, 17) == 0x0003);
    assert(__builtin_rotateright16(0x8001, 1) == 0xC000);
    assert(__builtin_rotateleft32(0x80000001u, 0) == 0x80000001u);
    assert(__builtin_rotateright32(0x80000001u, 36) == 0x18000000u);
    assert(__builtin_rotateleft64(1, 63) == 1ull << 63);
    assert(__builtin_rotateright64(1, 1) == 1ull << 63);
    assert(__builtin_bitreverse16(0x0102) == 0x4080);
    assert(__builtin_bitreverse32(0x00000003u) == 0xC0000000u);
    assert(__builtin_bitreverse64(0x1000000000000002ull) == 0x4000000000000008ull);
    assert(__builtin_popcount(7) == 3);
    return 0;
}

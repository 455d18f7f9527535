// Reversing the bits of a byte twice gives the byte.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

static unsigned char reverse(unsigned char b)
{
    b = (unsigned char)((b & 0xF0) >> 4 | (b & 0x0F) << 4);
    b = (unsigned char)((b & 0xCC) >> 2 | (b & 0x33) << 2);
    b = (unsigned char)((b & 0xAA) >> 1 | (b & 0x55) << 1);
    return b;
}

int main(void)
{
    unsigned char b = __VERIFIER_nondet_uchar();
    assert(reverse(reverse(b)) == b);
    assert((reverse(b) & 1) == b >> 7);
    return 0;
}

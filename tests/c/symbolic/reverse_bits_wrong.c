// The lowest bit of the reverse is not the second highest.
// run: check --engine sat
// verdict: violated assertion
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
    assert((reverse(b) & 1) == (b >> 6 & 1)); // fails
    return 0;
}

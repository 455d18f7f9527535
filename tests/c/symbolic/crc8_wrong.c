// Without a polynomial bits are lost.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

static unsigned char crc(const unsigned char *data, int n)
{
    unsigned char c = 0;
    for (int i = 0; i < n; i++) {
        c ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            c = (unsigned char)(c & 0x80 ? c << 1 ^ 0x00 : c << 1);
    }
    return c;
}

int main(void)
{
    unsigned char data[3];
    for (int i = 0; i < 3; i++)
        data[i] = __VERIFIER_nondet_uchar();
    unsigned char before = crc(data, 3), at = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(at < 24);
    data[at / 8] ^= (unsigned char)(1 << at % 8);
    assert(crc(data, 3) != before); // fails
    return 0;
}

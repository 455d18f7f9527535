// A first byte of an overlong character is taken.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

static int decode(const unsigned char *s, int n, unsigned *out)
{
    unsigned c = s[0];
    int length = c < 0x80 ? 1 : c < 0xC0 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (length == 0 || length > n)
        return -1;
    unsigned value = length == 1 ? c : c & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return -1;
        value = value << 6 | (s[i] & 0x3Fu);
    }
    if (length == 3 && (value < 0x800 || (value >= 0xD800 && value < 0xE000)))
        return -1;
    if (length == 4 && (value < 0x10000 || value > 0x10FFFF))
        return -1;
    *out = value;
    return length;
}

int main(void)
{
    unsigned char s[4];
    unsigned value = 0;
    for (int i = 0; i < 4; i++)
        s[i] = __VERIFIER_nondet_uchar();
    int length = decode(s, 4, &value);
    if (length > 0) {
        assert(value <= 0x10FFFF);
        assert(length == (value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4)); // fails
    }
    return 0;
}

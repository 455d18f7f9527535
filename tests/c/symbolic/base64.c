// Three bytes come back from their four characters.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

int main(void)
{
    unsigned char in[3], out[3];
    for (int i = 0; i < 3; i++)
        in[i] = __VERIFIER_nondet_uchar();
    unsigned bits = (unsigned)in[0] << 16 | in[1] << 8 | in[2];
    char text[4];
    for (int i = 0; i < 4; i++)
        text[i] = letters[bits >> (18 - 6 * i) & 63];
    unsigned again = 0;
    for (int i = 0; i < 4; i++)
        again = again << 6 | (unsigned)value(text[i]);
    for (int i = 0; i < 3; i++)
        out[i] = (unsigned char)(again >> (16 - 8 * i));
    assert(in[0] == out[0] && in[1] == out[1] && in[2] == out[2]);
    return 0;
}

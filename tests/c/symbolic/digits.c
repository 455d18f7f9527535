// Up to four digits are read as a number that fits.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char text[6];
    for (int i = 0; i < 6; i++)
        text[i] = __VERIFIER_nondet_uchar();
    int value = 0, n = 0;
    while (n < 4 && text[n] >= '0' && text[n] <= '9') {
        value = value * 10 + (text[n] - '0');
        n++;
    }
    assert(n <= 4);
    assert(value >= 0 && value < 10000);
    return 0;
}

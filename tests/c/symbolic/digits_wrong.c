// Five digits are more than ten thousand.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char text[6];
    for (int i = 0; i < 6; i++)
        text[i] = __VERIFIER_nondet_uchar();
    int value = 0, n = 0;
    while (n < 5 && text[n] >= '0' && text[n] <= '9') {
        value = value * 10 + (text[n] - '0');
        n++;
    }
    assert(n <= 4); // fails
    assert(value >= 0 && value < 10000); // fails
    return 0;
}

// A byte that is not summed up may change.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

static unsigned char sum(const unsigned char *data, int n)
{
    unsigned char s = 0;
    for (int i = 0; i < n; i++)
        s = (unsigned char)(s + data[i]);
    return s;
}

int main(void)
{
    unsigned char data[6];
    for (int i = 0; i < 6; i++)
        data[i] = __VERIFIER_nondet_uchar();
    unsigned char before = sum(data, 6), at = __VERIFIER_nondet_uchar(), new = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(at < 6 && data[at] != new);
    data[at] = new;
    assert(sum(data, 5) != before); // fails
    return 0;
}

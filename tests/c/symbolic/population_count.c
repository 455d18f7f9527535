// Counting bits in parallel gives what counting one by one gives.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned short __VERIFIER_nondet_ushort(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_ushort(), v = x;
    v = v - ((v >> 1) & 0x55555555u);
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    unsigned n = (((v + (v >> 4)) & 0xF0F0F0Fu) * 0x1010101u) >> 24;
    unsigned count = 0;
    for (int i = 0; i < 32; i++)
        count += x >> i & 1;
    assert(n == count);
    return 0;
}

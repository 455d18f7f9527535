// A recursive sum of digits ends and is small.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned short __VERIFIER_nondet_ushort(void);

static int digits(unsigned n) { return n < 10 ? (int)n : (int)(n % 10) + digits(n / 10); }

int main(void)
{
    unsigned n = __VERIFIER_nondet_ushort();
    int sum = digits(n);
    assert(sum >= 0 && sum <= 45);
    return 0;
}

// An input that stays too wide is named; nothing is claimed.
// run: check
// verdict: unknown __VERIFIER_nondet_uint()
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = x * x;
    assert(y % 8 != 3);
    return 0;
}

// A loop that looks at its condition last runs at least once.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint() & 7, steps = 0;
    do {
        steps++;
        if (n)
            n--;
    } while (n);
    assert(steps >= 1 && steps <= 7);
    return 0;
}

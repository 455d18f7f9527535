// Seven steps are possible.
// run: check --engine sat
// verdict: violated assertion
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
    assert(steps >= 1 && steps <= 6); // fails
    return 0;
}

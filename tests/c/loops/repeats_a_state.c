// A loop that only repeats its states is explored completely.
// run: check
// verdict: verified
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int phase = 0;
    for (;;) {
        if (__VERIFIER_nondet_bool())
            phase = (phase + 1) % 5;
        assert(phase < 5);
    }
}

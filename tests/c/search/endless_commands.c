// A counter grows in an endless loop, so that going ever deeper never comes back to the command that fails.
// run: check
// run: check --workers 1
// run: check --seed 7
// verdict: violated assertion
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    unsigned n_read = 0, n_idle = 0;
    for (;;) {
        int command = __VERIFIER_nondet_int();
        if (command < 0) {
            n_idle++;
        } else if (command == 0) {
            n_read++;
            assert(n_read < 3); // fails
        }
    }
}

// As endless_commands.c, but few values are counted and the assertion holds.
// run: check
// run: check --workers 1
// run: check --seed 7
// verdict: verified
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    unsigned n_read = 0, n_idle = 0;
    for (;;) {
        int command = __VERIFIER_nondet_int();
        if (command < 0) {
            n_idle = (n_idle + 1) % 100;
        } else if (command == 0) {
            n_read = (n_read + 1) % 3;
            assert(n_read < 3);
        }
    }
}

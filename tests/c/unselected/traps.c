// A division by zero and a null pointer end the program, so nothing behind them runs.
// run: check --property assertion
// verdict: verified
// assumption: division-by-zero is not looked for: such a division ends the program
// assumption: null-dereference is not looked for: an access through a null pointer ends the program
#include <assert.h>

int nondet(void);

int main(void) {
    volatile int zero = 0;
    int *volatile nowhere = 0;
    if (nondet()) {
        zero = 1 / zero;
        assert(0);
    }
    *nowhere = 1;
    assert(0);
    return 0;
}

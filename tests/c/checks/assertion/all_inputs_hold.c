// run: check
// verdict: verified
// Every value of a bounded input satisfies the assertion.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 1000) return 0;
    assert(x / 2 * 2 + x % 2 == x);
    return 0;
}

// run: check
// verdict: violated assertion
// One value of an open input breaks the assertion.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 100) return 0;
    assert(x != 37); // fails
    return 0;
}

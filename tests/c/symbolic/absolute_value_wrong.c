// The smallest number has no absolute value.
// run: check --engine sat
// verdict: violated overflow
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

static int absolute(int x) { return x < 0 ? -x : x; } // fails

int main(void)
{
    int x = __VERIFIER_nondet_int();
    assert(absolute(x) >= 0);
    return 0;
}

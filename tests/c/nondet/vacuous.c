// Contradictory assumptions prove nothing.
// run: check
// verdict: unknown no execution
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 3);
    __VERIFIER_assume(x < 2);
    assert(0);
    return 0;
}

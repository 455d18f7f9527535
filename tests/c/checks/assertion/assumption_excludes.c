// run: check
// verdict: verified
// An assumption removes the only failing input.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x != 42);
    assert(x != 42);
    return 0;
}

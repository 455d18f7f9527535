// As masked.c: numbers of which some bits are known may have any others.
// run: check --enumerate 100 -DMODE => violated assertion
// run: check --enumerate 100 -DFLAGS => violated assertion
// run: check --enumerate 100 -DADDRESS => violated assertion
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
#ifdef MODE
    unsigned mode = __VERIFIER_nondet_uint();
    if ((mode & 0170000) == 0040000 && mode > 0x20000)
        assert(mode != 0x24001); // fails
#endif
#ifdef FLAGS
    int flags = __VERIFIER_nondet_int();
    if ((flags & 0x200400) == 0x200400)
        assert(flags > 0); // fails
#endif
#ifdef ADDRESS
    unsigned address = __VERIFIER_nondet_uint();
    if ((address & 7) == 0)
        assert(address % 16 == 0); // fails
#endif
}

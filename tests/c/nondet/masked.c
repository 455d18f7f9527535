// Some bits of a wide input: one part for each value of the bits, not one for each of the bits below.
// run: check --enumerate 100
// verdict: verified
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    unsigned mode = __VERIFIER_nondet_uint();
    if ((mode & 0170000) == 0040000) {
        assert((mode & 0050000) == 0040000);
        assert(mode >= 0040000 && (mode & 0xf0000000) != 0x1000);
        assert(mode != 0050000 && mode % 8 < 8);
    }

    int flags = __VERIFIER_nondet_int();
    if ((flags & 0x200400) == 0x200400)
        assert(flags < 0 || flags >= 0x200400);
    else
        assert(flags != -1 && flags != 0x200400);
    if (flags & 0x400 && flags & 7)
        assert(flags != 0x400 && flags != -8);

    unsigned address = __VERIFIER_nondet_uint();
    if ((address & 7) == 0)
        assert(address % 4 == 0 && address != 12);
}

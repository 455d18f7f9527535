// Functions called through pointers of another type, which C leaves undefined: integers are cut as registers would cut them.
// run: check
// verdict: verified
// assumption: called through another type than its own
#include <assert.h>

static long large(void)
{
    return (1L << 40) + 7;
}

static int low(signed char c)
{
    return c;
}

static int (*const first[2])() = { (int (*)())large, (int (*)())low };
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int which = __VERIFIER_nondet_int();
    if (which == 0)
        assert(first[which]() == 7);
    if (which == 1)
        assert(first[which](256 + 5) == 5);
    return 0;
}

// Blocks of a bump allocator lie apart and inside.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static unsigned char arena[32];
static unsigned used;

static void *take(unsigned n)
{
    n = (n + 3) & ~3u;
    if (n > sizeof arena - used)
        return 0;
    void *p = &arena[used];
    used += n;
    return p;
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    __VERIFIER_assume(a >= 1 && a <= 20 && b >= 1 && b <= 20);
    unsigned char *p = take(a), *q = take(b);
    if (p && q) {
        p[a - 1] = 1;
        q[0] = 2;
        assert(p[a - 1] == 1);
    }
    return 0;
}

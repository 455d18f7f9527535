// What an early return leaves out is not done.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

static int work(int x, int *done)
{
    if (x < 0)
        return -1;
    *done = 1;
    if (x > 1000000)
        return 1;
    *done = 2;
    return 0;
}

int main(void)
{
    int done = 0, x = __VERIFIER_nondet_int();
    int result = work(x, &done);
    assert(result != 0 || (x >= 0 && x <= 1000000));
    assert(done == (result < 0 ? 0 : result > 0 ? 1 : 2));
    return 0;
}

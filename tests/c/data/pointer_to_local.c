// A function writes through a pointer to a local object of its caller.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>

static void increase(int *value, int by)
{
    *value += by;
}

int main(void)
{
    int here = 1, there = 10;
    int *one = &here;
    increase(one, 2);
    increase(&there, 5);
    one = &there;
    increase(one, 1);
    assert(here == 3 && there == 16);
    return 0;
}

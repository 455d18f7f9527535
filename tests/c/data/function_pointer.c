// Functions that a table of pointers leads to.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>

static int total;

static void add(int value)
{
    total += value;
}

static void take(int value)
{
    total -= value;
}

static void (*step)(int);

int main(void)
{
    step = add;
    step(5);
    step = take;
    step(2);
    assert(step == take);
    assert(total == 3);
    return 0;
}

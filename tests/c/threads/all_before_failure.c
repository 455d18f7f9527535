// The first thread fails at once; what the other threads do wrong before that is listed as well.
// run: check --all
// run: check --all --reduce none
// run: check --all --reduce global-access
// run: check --all --reduce superstep
// verdict: violated assertion
// stdout: "kind":"data-race"
// stdout: all_before_failure.c:20 in thread 1 and write at
// stdout: assertion `local == 4` does not hold
// stdout: assertion `0` does not hold
#include <assert.h>
#include <pthread.h>

static int shared;

static void *one(void *unused)
{
    int local = 3;
    assert(local != 4);
    shared = 1;
    assert(local == 4); // fails
    return unused;
}

static void *two(void *unused)
{
    shared = 2;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, two, 0);
    assert(0); // fails
}

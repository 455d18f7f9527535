// Handlers for a fork may be set; only the fork itself has no model.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static int forks;

static void count(void)
{
    forks++;
}

int main(void)
{
    assert(pthread_atfork(0, 0, count) == 0);
    assert(forks == 0);
    return 0;
}

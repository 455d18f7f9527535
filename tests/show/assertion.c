// A lost update: both threads read before either writes.
// run: check --property assertion
#include <assert.h>
#include <pthread.h>

static int shared;

static void *up(void *unused)
{
    shared = shared + 1;
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, up, 0);
    shared = shared + 1;
    pthread_join(one, 0);
    assert(shared == 2);
    return 0;
}

// A thread joins another one that joins it, while main runs on.
// run: check
// run: check --shortest
// run: check --table-from 0
// with: --reduce none | --reduce global-access | --reduce superstep
// verdict: violated deadlock
#include <pthread.h>
#include <unistd.h>

static pthread_t first, second;
static _Atomic int is_ready;

static void *one(void *unused)
{
    while (!is_ready)
        ;
    pthread_join(second, 0); // fails
    return unused;
}

static void *two(void *unused)
{
    while (!is_ready)
        ;
    pthread_join(first, 0); // fails
    return unused;
}

int main(void)
{
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, two, 0);
    is_ready = 1;
    for (;;)
        sleep(1);
}

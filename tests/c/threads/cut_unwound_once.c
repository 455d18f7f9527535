// As cut_unwound.c, but with one other thread only, which races with nobody.
// run: check --unwind 2
// run: check --unwind 2 --reduce global-access
// verdict: unknown loop
#include <pthread.h>

static int shared;

static void *write(void *unused)
{
    shared = 1;
    return unused;
}

int main(void)
{
    pthread_t first;
    pthread_create(&first, 0, write, 0);
    for (volatile unsigned long i = 0; i < 1000000000000; i++)
        ;
}

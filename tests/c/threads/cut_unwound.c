// A loop that comes round too often ends its own thread only: the others race from there on.
// run: check --unwind 2 => violated data-race
// run: check --unwind 2 --reduce global-access => violated data-race
#include <pthread.h>

static int shared;

static void *write(void *unused)
{
    shared = 1; // fails
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, write, 0);
    pthread_create(&second, 0, write, 0);
    for (volatile unsigned long i = 0; i < 1000000000000; i++)
        ;
}

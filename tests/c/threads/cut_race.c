// What has no meaning ends its own thread only: others race from there on, with that thread standing still.
// run: check => violated data-race
// run: check --reduce global-access => violated data-race
// run: check --reduce superstep => violated data-race
// run: check --reduce none => violated data-race
// run: check --preemptions 2 => violated data-race
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
    __asm__ volatile("frobnicate");
}

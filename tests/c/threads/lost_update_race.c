// The same counting without a lock is a data race, and the report names both places.
// run: check
// verdict: violated data-race
// stdout: write of `counter` at
// stdout: with nothing ordering them
#include <pthread.h>

static int counter;

static void *up(void *unused)
{
    counter = counter + 1; // fails
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, up, 0);
    int seen = counter;
    pthread_join(one, 0);
    return seen;
}

// A barrier that too few threads come to: the report says how many are there.
// run: check
// verdict: violated deadlock
// stdout: thread 0 waits for the end of thread 1
// stdout: waits at &meeting, 2 of 3 are there
#include <pthread.h>

static pthread_barrier_t meeting;

static void *come(void *unused)
{
    pthread_barrier_wait(&meeting); // fails
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_barrier_init(&meeting, 0, 3);
    pthread_create(&one, 0, come, 0);
    pthread_create(&two, 0, come, 0);
    pthread_join(one, 0); // fails
    pthread_join(two, 0);
    return 0;
}

// A thread that waits for ever is no deadlock if main returns: exit ends all threads.
// run: check
// verdict: verified
#include <pthread.h>
#include <semaphore.h>

static sem_t never;

static void *wait_for_ever(void *unused)
{
    sem_wait(&never);
    return unused;
}

int main(void)
{
    pthread_t other;
    sem_init(&never, 0, 0);
    pthread_create(&other, 0, wait_for_ever, 0);
    pthread_detach(other);
    return 0;
}

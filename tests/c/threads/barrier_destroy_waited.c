// A barrier that a thread waits at cannot be destroyed.
// run: check
// verdict: violated unlock-error
// stdout: a barrier is destroyed while threads wait at it
#include <pthread.h>
#include <semaphore.h>

static pthread_barrier_t barrier;
static sem_t arrives;

static void *run(void *argument) {
    sem_post(&arrives);
    pthread_barrier_wait(&barrier);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    sem_init(&arrives, 0, 0);
    pthread_create(&thread, 0, run, 0);
    sem_wait(&arrives);
    pthread_barrier_destroy(&barrier); // fails
    return 0;
}

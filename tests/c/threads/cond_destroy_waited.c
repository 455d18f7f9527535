// A condition variable that threads wait for cannot be destroyed.
// run: check
// verdict: violated unlock-error
// stdout: a condition variable is destroyed while threads wait for it
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t waits;

static void *wait(void *argument) {
    pthread_mutex_lock(&mutex);
    sem_post(&waits);
    pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    sem_init(&waits, 0, 0);
    pthread_create(&thread, 0, wait, 0);
    sem_wait(&waits);
    pthread_mutex_lock(&mutex);
    pthread_cond_destroy(&changed); // fails
    pthread_join(thread, 0);
    return 0;
}

// Cancellation ends waits for a condition, a semaphore and a thread; after the first the mutex is held again.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t closed;

static void unlock(void *argument) { assert(pthread_mutex_unlock(argument) == 0); }

static void *wait_for_condition(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    for (;;) pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(1);
    return argument;
}

static void *wait_for_semaphore(void *argument) {
    sem_wait(&closed);
    return argument;
}

static void cancel(pthread_t thread) {
    void *result;
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
}

int main(void) {
    pthread_t first, second;
    sem_init(&closed, 0, 0);
    pthread_create(&first, 0, wait_for_condition, 0);
    cancel(first);
    assert(pthread_mutex_trylock(&mutex) == 0);
    pthread_create(&second, 0, wait_for_semaphore, 0);
    cancel(second);
    return 0;
}

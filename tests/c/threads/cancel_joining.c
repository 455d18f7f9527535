// Threads that wait for each other are not stuck while somebody may cancel one of them.
// run: check
// verdict: verified
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t inner;

static void *lock(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void unlock(void *mutex) { pthread_mutex_unlock(mutex); }

static void *join(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    pthread_create(&inner, 0, lock, 0);
    pthread_join(inner, 0);
    pthread_cleanup_pop(1);
    return argument;
}

int main(void) {
    pthread_t outer;
    pthread_create(&outer, 0, join, 0);
    pthread_cancel(outer);
    pthread_join(outer, 0);
    return 0;
}

// A wait for a mutex is no cancellation point.
// run: check => violated deadlock
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument) {
    pthread_mutex_lock(&mutex); // fails
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, run, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0); // fails
    pthread_mutex_unlock(&mutex);
    return 0;
}

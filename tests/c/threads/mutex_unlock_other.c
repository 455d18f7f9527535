// Only the thread that locked a mutex may unlock it.
// run: check
// verdict: violated unlock-error
// stdout: a mutex is unlocked that another thread holds
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument) {
    pthread_mutex_unlock(&mutex); // fails
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    return 0;
}

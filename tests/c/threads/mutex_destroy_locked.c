// A mutex that is held cannot be destroyed.
// run: check
// verdict: violated unlock-error
// stdout: a mutex is destroyed while it is locked
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex); // fails
    return 0;
}

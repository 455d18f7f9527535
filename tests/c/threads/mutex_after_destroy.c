// A destroyed mutex cannot be locked.
// run: check
// verdict: violated unlock-error
// stdout: a mutex is used that was destroyed
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_destroy(&mutex);
    pthread_mutex_lock(&mutex); // fails
    return 0;
}

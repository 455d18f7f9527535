// A mutex nobody holds cannot be unlocked.
// run: check
// verdict: violated unlock-error
// stdout: a mutex is unlocked that is not locked
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&mutex); // fails
    return 0;
}

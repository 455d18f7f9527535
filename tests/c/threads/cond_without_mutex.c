// Who waits for a condition has to hold the mutex.
// run: check
// verdict: violated unlock-error
// stdout: a thread waits for a condition with a mutex that is not locked
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void) {
    pthread_cond_wait(&changed, &mutex); // fails
    return 0;
}

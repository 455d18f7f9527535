// A normal mutex that its owner locks again is a deadlock.
// run: check
// verdict: violated deadlock
// stdout: deadlock
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex); // fails
    return 0;
}

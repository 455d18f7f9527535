// A reader that wants to write waits for itself.
// run: check
// verdict: violated deadlock
// stdout: deadlock
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock); // fails
    return 0;
}

// A destroyed read-write lock cannot be taken.
// run: check
// verdict: violated unlock-error
// stdout: a read-write lock is used that was destroyed
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_destroy(&lock);
    pthread_rwlock_wrlock(&lock); // fails
    return 0;
}

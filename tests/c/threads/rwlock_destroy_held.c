// A read-write lock that is held cannot be destroyed.
// run: check
// verdict: violated unlock-error
// stdout: a read-write lock is destroyed while it is held
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_destroy(&lock); // fails
    return 0;
}

// A read-write lock nobody holds cannot be unlocked.
// run: check
// verdict: violated unlock-error
// stdout: a read-write lock is unlocked that is not locked
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock); // fails
    return 0;
}

// Only a thread that holds a read-write lock may unlock it.
// run: check
// verdict: violated unlock-error
// stdout: a read-write lock is unlocked that only other threads hold
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *run(void *argument) {
    pthread_rwlock_unlock(&lock); // fails
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    return 0;
}

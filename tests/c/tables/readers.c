// Locks for readers and writers.
// run: check --tabled
// verdict: verified
// assumption: calls that start threads, lock, unlock, signal and wait do not fail
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int x, y;

static void *write_both(void *unused) {
    pthread_rwlock_wrlock(&lock);
    x = x + 1;
    y = y + 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_both, 0);
    pthread_rwlock_rdlock(&lock);
    assert(x == y);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}

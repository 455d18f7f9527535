// A read-write lock used rightly by one thread.
// run: check
// verdict: verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void use(pthread_rwlock_t *lock) {
    struct timespec soon = {0, 0};
    assert(pthread_rwlock_rdlock(lock) == 0);
    assert(pthread_rwlock_tryrdlock(lock) == 0);
    assert(pthread_rwlock_timedrdlock(lock, &soon) == 0);
    assert(pthread_rwlock_trywrlock(lock) == EBUSY);
    assert(pthread_rwlock_timedwrlock(lock, &soon) == ETIMEDOUT);
    assert(pthread_rwlock_unlock(lock) == 0);
    assert(pthread_rwlock_unlock(lock) == 0);
    assert(pthread_rwlock_unlock(lock) == 0);
    assert(pthread_rwlock_wrlock(lock) == 0);
    assert(pthread_rwlock_wrlock(lock) == EDEADLK);
    assert(pthread_rwlock_rdlock(lock) == EDEADLK);
    assert(pthread_rwlock_tryrdlock(lock) == EBUSY);
    assert(pthread_rwlock_trywrlock(lock) == EBUSY);
    assert(pthread_rwlock_unlock(lock) == 0);
    assert(pthread_rwlock_timedwrlock(lock, &soon) == 0);
    assert(pthread_rwlock_unlock(lock) == 0);
}

int main(void) {
    pthread_rwlock_t made;
    pthread_rwlockattr_t attributes;
    int kind;
    use(&lock);
    assert(pthread_rwlockattr_init(&attributes) == 0);
    assert(pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NP) == 0);
    assert(pthread_rwlockattr_getkind_np(&attributes, &kind) == 0 && kind == PTHREAD_RWLOCK_PREFER_WRITER_NP);
    assert(pthread_rwlock_init(&made, &attributes) == 0);
    assert(pthread_rwlockattr_destroy(&attributes) == 0);
    use(&made);
    assert(pthread_rwlock_destroy(&made) == 0);
    return 0;
}

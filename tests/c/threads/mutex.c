// A mutex of each kind, used rightly by one thread.
// run: check
// verdict: verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void normal(pthread_mutex_t *mutex) {
    struct timespec soon = {0, 0}, wrong = {0, 1000000000};
    assert(pthread_mutex_lock(mutex) == 0);
    assert(pthread_mutex_trylock(mutex) == EBUSY);
    assert(pthread_mutex_timedlock(mutex, &soon) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(mutex, &wrong) == EINVAL);
    assert(pthread_mutex_unlock(mutex) == 0);
    assert(pthread_mutex_timedlock(mutex, &soon) == 0);
    assert(pthread_mutex_unlock(mutex) == 0);
    assert(pthread_mutex_trylock(mutex) == 0);
    assert(pthread_mutex_unlock(mutex) == 0);
}

static void nested(pthread_mutex_t *mutex) {
    assert(pthread_mutex_lock(mutex) == 0);
    assert(pthread_mutex_lock(mutex) == 0);
    assert(pthread_mutex_trylock(mutex) == 0);
    assert(pthread_mutex_unlock(mutex) == 0);
    assert(pthread_mutex_unlock(mutex) == 0);
    assert(pthread_mutex_unlock(mutex) == 0);
}

static void checked(pthread_mutex_t *mutex) {
    assert(pthread_mutex_unlock(mutex) == EPERM);
    assert(pthread_mutex_lock(mutex) == 0);
    assert(pthread_mutex_lock(mutex) == EDEADLK);
    assert(pthread_mutex_trylock(mutex) == EBUSY);
    assert(pthread_mutex_unlock(mutex) == 0);
}

int main(void) {
    pthread_mutex_t made;
    pthread_mutexattr_t attributes;
    int kind;
    normal(&plain);
    nested(&recursive);
    checked(&checking);
    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(pthread_mutexattr_settype(&attributes, 9) == EINVAL);
    assert(pthread_mutexattr_gettype(&attributes, &kind) == 0 && kind == PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
    assert(pthread_mutex_init(&made, &attributes) == 0);
    assert(pthread_mutexattr_destroy(&attributes) == 0);
    nested(&made);
    assert(pthread_mutex_destroy(&made) == 0);
    assert(pthread_mutex_init(&made, 0) == 0);
    normal(&made);
    assert(pthread_mutex_destroy(&made) == 0);
    return 0;
}

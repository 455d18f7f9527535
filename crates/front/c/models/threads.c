//! header: threads.h
// C11 threads on top of the POSIX ones, with results in their own numbers.
typedef unsigned long thrd_t;

struct timespec {
    long tv_sec;
    long tv_nsec;
};

int __thread_create_c11(thrd_t *id, int (*function)(void *), void *argument);
int pthread_join(thrd_t thread, void **result);
int pthread_detach(thrd_t thread);
void pthread_exit(void *result);
int pthread_mutex_init(void *mutex, const int *attributes);
int pthread_mutex_destroy(void *mutex);
int pthread_mutex_lock(void *mutex);
int pthread_mutex_trylock(void *mutex);
int pthread_mutex_timedlock(void *mutex, const struct timespec *until);
int pthread_mutex_unlock(void *mutex);
int pthread_cond_init(void *restrict condition, const void *restrict attributes);
int pthread_cond_destroy(void *condition);
int pthread_cond_signal(void *condition);
int pthread_cond_broadcast(void *condition);
int pthread_cond_wait(void *restrict condition, void *restrict mutex);
int pthread_cond_timedwait(void *restrict condition, void *restrict mutex, const struct timespec *restrict until);
int pthread_key_create(unsigned *key, void (*destructor)(void *));
int pthread_key_delete(unsigned key);
void *pthread_getspecific(unsigned key);
int pthread_setspecific(unsigned key, const void *value);
int pthread_once(int *once, void (*function)(void));

// thrd_success, thrd_busy, thrd_error, thrd_nomem, thrd_timedout.
static int status(int error) {
    if (error == 0) return 0;
    if (error == 16) return 1;
    if (error == 12) return 3;
    return error == 110 ? 4 : 2;
}

/// thrd_create: exact — fails only with `--library-fails`
int thrd_create(thrd_t *id, int (*function)(void *), void *argument) {
    return status(__thread_create_c11(id, function, argument));
}

/// thrd_join: exact — joining twice or a detached thread is an unlock-error; joining oneself blocks for ever
int thrd_join(thrd_t thread, int *result) {
    void *left;
    int failure = pthread_join(thread, &left);
    if (failure) return status(failure);
    if (result) *result = (int)(long)left;
    return 0;
}

/// thrd_detach: exact — detaching twice or after a join is an unlock-error
int thrd_detach(thrd_t thread) { return status(pthread_detach(thread)); }

/// thrd_current: exact
thrd_t thrd_current(void) { return __unpick_self(); }

/// thrd_equal: exact
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }

/// thrd_exit: exact — as pthread_exit
void thrd_exit(int result) { pthread_exit((void *)(long)result); }

/// thrd_sleep: exact — returns at once, never interrupted
int thrd_sleep(const struct timespec *wanted, struct timespec *left) {
    (void)left;
    return wanted->tv_nsec < 0 || wanted->tv_nsec >= 1000000000 ? -2 : 0;
}

/// thrd_yield: exact — every interleaving is looked at anyway
void thrd_yield(void) {}

/// mtx_init: exact — fails only with `--library-fails`
int mtx_init(void *mutex, int type) {
    if (type < 0 || type > 3) return 2;
    int kind = type & 1;
    return status(pthread_mutex_init(mutex, &kind));
}

/// mtx_destroy: exact — destroying a locked mutex is an unlock-error
void mtx_destroy(void *mutex) { pthread_mutex_destroy(mutex); }

/// mtx_lock: exact — a plain mutex its owner locks again blocks for ever
int mtx_lock(void *mutex) { return status(pthread_mutex_lock(mutex)); }

/// mtx_trylock: exact — does not fail for no reason, as in glibc
int mtx_trylock(void *mutex) { return status(pthread_mutex_trylock(mutex)); }

/// mtx_timedlock: exact — times out at any moment
int mtx_timedlock(void *restrict mutex, const struct timespec *restrict until) {
    return status(pthread_mutex_timedlock(mutex, until));
}

/// mtx_unlock: exact — unlocking what one does not hold is an unlock-error
int mtx_unlock(void *mutex) { return status(pthread_mutex_unlock(mutex)); }

/// cnd_init: exact — fails only with `--library-fails`
int cnd_init(void *condition) { return status(pthread_cond_init(condition, (void *)0)); }

/// cnd_destroy: exact — destroying one that threads wait for is an unlock-error
void cnd_destroy(void *condition) { pthread_cond_destroy(condition); }

/// cnd_signal: exact — wakes any one of the waiting threads
int cnd_signal(void *condition) { return status(pthread_cond_signal(condition)); }

/// cnd_broadcast: exact
int cnd_broadcast(void *condition) { return status(pthread_cond_broadcast(condition)); }

/// cnd_wait: exact — with spurious wake-ups; waiting without the mutex is an unlock-error
int cnd_wait(void *condition, void *mutex) { return status(pthread_cond_wait(condition, mutex)); }

/// cnd_timedwait: exact — times out at any moment
int cnd_timedwait(void *restrict condition, void *restrict mutex, const struct timespec *restrict until) {
    return status(pthread_cond_timedwait(condition, mutex, until));
}

/// tss_create: exact — as pthread_key_create
int tss_create(unsigned *key, void (*destructor)(void *)) { return status(pthread_key_create(key, destructor)); }

/// tss_delete: exact
void tss_delete(unsigned key) { pthread_key_delete(key); }

/// tss_get: exact
void *tss_get(unsigned key) { return pthread_getspecific(key); }

/// tss_set: exact — destructors run when the thread ends, in at most four rounds
int tss_set(unsigned key, void *value) { return status(pthread_setspecific(key, value)); }

/// call_once: exact
void call_once(int *once, void (*function)(void)) { pthread_once(once, function); }

//! header: pthread.h
// Locks for many readers or one writer. Inside the object: who writes, how many read locks there are, and how many of
// them each thread has.

struct timespec {
    long tv_sec;
    long tv_nsec;
};

struct rwlock {
    // Number of the writing thread, plus one; -1 when destroyed.
    int writer;
    unsigned n_readers;
    unsigned char n_held[];
};

// Threads that can read: what fits in front of the flags of glibc's lock.
static int max_readers(void) { return sizeof(long) == 8 ? 40 : 16; }

static void check(struct rwlock *lock) {
    if (lock->writer == -1) __unpick_fail("unlock-error", "a read-write lock is used that was destroyed");
}

/// pthread_rwlock_init: exact — fails only with `--library-fails`
int pthread_rwlock_init(struct rwlock *restrict lock, const void *restrict attributes) {
    (void)attributes;
    if (__unpick_option("library-fails") && __VERIFIER_nondet_bool()) return 11;
    __unpick_memset(lock, 0, sizeof *lock + max_readers());
    return 0;
}

/// pthread_rwlock_destroy: exact — destroying a held lock is an unlock-error
int pthread_rwlock_destroy(struct rwlock *lock) {
    __unpick_atomic_begin();
    check(lock);
    if (lock->writer != 0 || lock->n_readers != 0)
        __unpick_fail("unlock-error", "a read-write lock is destroyed while it is held");
    lock->writer = -1;
    __unpick_atomic_end();
    return 0;
}

// 0, an error, or -1 if only waiting can help.
static int take_for_reading(struct rwlock *lock) {
    int me = __unpick_self();
    check(lock);
    if (lock->writer == me + 1) return 35;
    if (lock->writer != 0) return -1;
    if (me >= max_readers()) __unpick_unmodelled("a read lock of a thread with a number above 39");
    if (lock->n_held[me] == 255) return 11;
    lock->n_held[me]++;
    lock->n_readers++;
    return 0;
}

static int take_for_writing(struct rwlock *lock) {
    int me = __unpick_self();
    check(lock);
    if (lock->writer == me + 1) return 35;
    if (lock->writer != 0 || lock->n_readers != 0) return -1;
    lock->writer = me + 1;
    return 0;
}

/// pthread_rwlock_rdlock: exact — EDEADLK for the writer, as in glibc; readers do not wait for waiting writers
int pthread_rwlock_rdlock(struct rwlock *lock) {
    __unpick_atomic_begin();
    int error = take_for_reading(lock);
    if (error <= 0) __unpick_taken(lock, 0);
    __unpick_wait(error >= 0);
    __unpick_atomic_end();
    return error;
}

/// pthread_rwlock_wrlock: exact — EDEADLK for the writer, as in glibc
int pthread_rwlock_wrlock(struct rwlock *lock) {
    __unpick_atomic_begin();
    int error = take_for_writing(lock);
    if (error <= 0) __unpick_taken(lock, 1);
    __unpick_wait(error >= 0);
    __unpick_atomic_end();
    return error;
}

static int try_reading(struct rwlock *lock) {
    __unpick_atomic_begin();
    int error = take_for_reading(lock);
    if (error == 0) __unpick_got(lock, 0);
    __unpick_atomic_end();
    return error;
}

static int try_writing(struct rwlock *lock) {
    __unpick_atomic_begin();
    int error = take_for_writing(lock);
    if (error == 0) __unpick_got(lock, 1);
    __unpick_atomic_end();
    return error;
}

// A lock that is taken when the thread looks at it is a timeout: a later look is the same thread running later.
static int late(int error, const struct timespec *until) {
    if (error != -1) return error;
    return until->tv_nsec < 0 || until->tv_nsec >= 1000000000 ? 22 : 110;
}

/// pthread_rwlock_tryrdlock: exact
int pthread_rwlock_tryrdlock(struct rwlock *lock) {
    int error = try_reading(lock);
    return error == -1 || error == 35 ? 16 : error;
}

/// pthread_rwlock_trywrlock: exact
int pthread_rwlock_trywrlock(struct rwlock *lock) { return try_writing(lock) == 0 ? 0 : 16; }

/// pthread_rwlock_timedrdlock: exact — times out at any moment
int pthread_rwlock_timedrdlock(struct rwlock *restrict lock, const struct timespec *restrict until) {
    return late(try_reading(lock), until);
}

/// pthread_rwlock_timedwrlock: exact — times out at any moment
int pthread_rwlock_timedwrlock(struct rwlock *restrict lock, const struct timespec *restrict until) {
    return late(try_writing(lock), until);
}

/// pthread_rwlock_clockrdlock: exact — times out at any moment
int pthread_rwlock_clockrdlock(struct rwlock *restrict lock, int clock, const struct timespec *restrict until) {
    (void)clock;
    return late(try_reading(lock), until);
}

/// pthread_rwlock_clockwrlock: exact — times out at any moment
int pthread_rwlock_clockwrlock(struct rwlock *restrict lock, int clock, const struct timespec *restrict until) {
    (void)clock;
    return late(try_writing(lock), until);
}

/// pthread_rwlock_unlock: exact — unlocking what one does not hold is an unlock-error
int pthread_rwlock_unlock(struct rwlock *lock) {
    __unpick_atomic_begin();
    check(lock);
    int me = __unpick_self();
    if (lock->writer == me + 1) {
        lock->writer = 0;
        __unpick_given_back(lock, 1);
    } else if (me < max_readers() && lock->n_held[me] != 0) {
        lock->n_held[me]--;
        lock->n_readers--;
        __unpick_given_back(lock, 0);
    } else if (lock->writer != 0 || lock->n_readers != 0) {
        __unpick_fail("unlock-error", "a read-write lock is unlocked that only other threads hold");
    } else {
        __unpick_fail("unlock-error", "a read-write lock is unlocked that is not locked");
    }
    __unpick_atomic_end();
    return 0;
}

/// pthread_rwlockattr_init: exact
int pthread_rwlockattr_init(int *attributes) {
    *attributes = 0;
    return 0;
}

/// pthread_rwlockattr_destroy: exact
int pthread_rwlockattr_destroy(int *attributes) {
    (void)attributes;
    return 0;
}

/// pthread_rwlockattr_setpshared: exact — there is one process
int pthread_rwlockattr_setpshared(int *attributes, int is_shared) {
    (void)attributes;
    return is_shared == 0 || is_shared == 1 ? 0 : 22;
}

/// pthread_rwlockattr_setkind_np: bounded — waiting writers never hold readers up
int pthread_rwlockattr_setkind_np(int *attributes, int kind) {
    if (kind < 0 || kind > 2) return 22;
    *attributes = kind;
    return 0;
}

/// pthread_rwlockattr_getkind_np: exact
int pthread_rwlockattr_getkind_np(const int *restrict attributes, int *restrict kind) {
    *kind = *attributes;
    return 0;
}

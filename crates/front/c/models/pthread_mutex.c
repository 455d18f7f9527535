//! header: pthread.h
// Mutexes. The state is inside the object: who holds it, how often, and its kind where glibc has it, so that static
// initialisers mean what they should.

struct timespec {
    long tv_sec;
    long tv_nsec;
};

struct mutex {
    // Number of the thread that holds it, plus one.
    int owner;
    // How often more than once.
    unsigned again;
};

static int *kind_of(struct mutex *mutex) { return (int *)((char *)mutex + (sizeof(long) == 8 ? 16 : 12)); }

// The kind: 0 normal (also 3, adaptive), 1 recursive, 2 error-checking.
static int checked_kind(struct mutex *mutex) {
    int kind = *kind_of(mutex);
    if (kind == -1) __unpick_fail("unlock-error", "a mutex is used that was destroyed");
    return kind;
}

/// pthread_mutex_init: exact — fails only with `--library-fails`
int pthread_mutex_init(struct mutex *mutex, const int *attributes) {
    if (__unpick_option("library-fails") && __VERIFIER_nondet_bool()) return 11;
    int kind = attributes ? *attributes : 0;
    __unpick_atomic_begin();
    __unpick_given_back(mutex, 1);
    mutex->owner = 0;
    mutex->again = 0;
    *kind_of(mutex) = kind;
    __unpick_atomic_end();
    return 0;
}

/// pthread_mutex_destroy: exact — destroying a locked mutex is an unlock-error
int pthread_mutex_destroy(struct mutex *mutex) {
    __unpick_atomic_begin();
    checked_kind(mutex);
    if (mutex->owner != 0) __unpick_fail("unlock-error", "a mutex is destroyed while it is locked");
    *kind_of(mutex) = -1;
    __unpick_atomic_end();
    return 0;
}

// Takes a mutex the thread may have already: 0, or an error, or -1 if only waiting can help.
int __mutex_take(struct mutex *mutex) {
    int kind = checked_kind(mutex), me = __unpick_self() + 1;
    if (mutex->owner == 0) {
        mutex->owner = me;
        return 0;
    }
    if (mutex->owner != me) return -1;
    if (kind == 1 && mutex->again == ~0u) return 11;
    if (kind == 1) {
        mutex->again++;
        return 0;
    }
    return kind == 2 ? 35 : -1;
}

/// pthread_mutex_lock: exact — a normal mutex its owner locks again blocks for ever
int pthread_mutex_lock(struct mutex *mutex) {
    __unpick_atomic_begin();
    int error = __mutex_take(mutex);
    if (error <= 0) __unpick_taken(mutex, 1);
    __unpick_wait(error >= 0);
    __unpick_atomic_end();
    return error;
}

/// pthread_mutex_trylock: exact
int pthread_mutex_trylock(struct mutex *mutex) {
    __unpick_atomic_begin();
    int error = __mutex_take(mutex);
    if (error == 0) __unpick_got(mutex, 1);
    __unpick_atomic_end();
    // Whether the thread has it already or somebody else.
    return error == -1 || error == 35 ? 16 : error;
}

// A deadline passes at any moment, so that a mutex that is taken when the thread looks at it is a timeout: a later
// look is the same thread running later.
static int take_in_time(struct mutex *mutex, const struct timespec *until) {
    __unpick_atomic_begin();
    int error = __mutex_take(mutex);
    if (error == 0) __unpick_got(mutex, 1);
    __unpick_atomic_end();
    if (error != -1) return error;
    return until->tv_nsec < 0 || until->tv_nsec >= 1000000000 ? 22 : 110;
}

/// pthread_mutex_timedlock: exact — times out at any moment
int pthread_mutex_timedlock(struct mutex *mutex, const struct timespec *until) { return take_in_time(mutex, until); }

/// pthread_mutex_clocklock: exact — times out at any moment
int pthread_mutex_clocklock(struct mutex *mutex, int clock, const struct timespec *until) {
    (void)clock;
    return take_in_time(mutex, until);
}

/// pthread_mutex_unlock: exact — unlocking what one does not hold is an unlock-error, for error-checking mutexes EPERM
int pthread_mutex_unlock(struct mutex *mutex) {
    __unpick_atomic_begin();
    int kind = checked_kind(mutex), owner = mutex->owner, is_mine = owner == __unpick_self() + 1;
    if (!is_mine && kind != 2) {
        if (owner == 0) __unpick_fail("unlock-error", "a mutex is unlocked that is not locked");
        __unpick_fail("unlock-error", "a mutex is unlocked that another thread holds");
    }
    if (is_mine) __unpick_given_back(mutex, 1);
    if (is_mine && mutex->again != 0)
        mutex->again--;
    else if (is_mine)
        mutex->owner = 0;
    __unpick_atomic_end();
    return is_mine ? 0 : 1;
}

// For a thread that is about to wait for a condition.
void __mutex_release(struct mutex *mutex) {
    checked_kind(mutex);
    if (mutex->owner == 0) __unpick_fail("unlock-error", "a thread waits for a condition with a mutex that is not locked");
    if (mutex->owner != __unpick_self() + 1)
        __unpick_fail("unlock-error", "a thread waits for a condition with a mutex that another thread holds");
    __unpick_given_back(mutex, 1);
    if (mutex->again != 0)
        mutex->again--;
    else
        mutex->owner = 0;
}

/// pthread_mutexattr_init: exact
int pthread_mutexattr_init(int *attributes) {
    *attributes = 0;
    return 0;
}

/// pthread_mutexattr_destroy: exact
int pthread_mutexattr_destroy(int *attributes) {
    *attributes = -1;
    return 0;
}

/// pthread_mutexattr_settype: exact
int pthread_mutexattr_settype(int *attributes, int kind) {
    if (kind < 0 || kind > 3) return 22;
    *attributes = kind;
    return 0;
}

/// pthread_mutexattr_gettype: exact
int pthread_mutexattr_gettype(const int *restrict attributes, int *restrict kind) {
    *kind = *attributes;
    return 0;
}

/// pthread_mutexattr_setpshared: exact — there is one process
int pthread_mutexattr_setpshared(int *attributes, int is_shared) {
    (void)attributes;
    return is_shared == 0 || is_shared == 1 ? 0 : 22;
}

/// pthread_mutexattr_setprotocol: exact — priorities do not matter where every interleaving counts
int pthread_mutexattr_setprotocol(int *attributes, int protocol) {
    (void)attributes;
    return protocol >= 0 && protocol <= 2 ? 0 : 22;
}

/// pthread_mutexattr_setprioceiling: exact — as setprotocol
int pthread_mutexattr_setprioceiling(int *attributes, int ceiling) {
    (void)attributes, (void)ceiling;
    return 0;
}

/// pthread_mutexattr_setrobust: unmodelled — for robust mutexes
int pthread_mutexattr_setrobust(int *attributes, int robustness) {
    (void)attributes;
    if (robustness != 0) __unpick_unmodelled("robust mutexes");
    return 0;
}

/// pthread_mutex_consistent: unmodelled
int pthread_mutex_consistent(struct mutex *mutex) {
    (void)mutex;
    __unpick_unmodelled("robust mutexes");
    return 0;
}

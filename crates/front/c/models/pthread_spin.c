//! header: pthread.h
// Spinlocks. A thread that spins is a thread that waits.

// Number of the thread that holds it, plus one; -1 when destroyed.
typedef volatile int spinlock;

static void check(spinlock *lock) {
    if (*lock == -1) __unpick_fail("unlock-error", "a spinlock is used that was destroyed");
}

/// pthread_spin_init: exact — fails only with `--library-fails`
int pthread_spin_init(spinlock *lock, int is_shared) {
    (void)is_shared;
    if (__unpick_option("library-fails") && __VERIFIER_nondet_bool()) return 11;
    *lock = 0;
    return 0;
}

/// pthread_spin_destroy: exact — destroying a held spinlock is an unlock-error
int pthread_spin_destroy(spinlock *lock) {
    __unpick_atomic_begin();
    check(lock);
    if (*lock != 0) __unpick_fail("unlock-error", "a spinlock is destroyed while it is held");
    *lock = -1;
    __unpick_atomic_end();
    return 0;
}

/// pthread_spin_lock: exact — a spinlock its owner locks again blocks for ever
int pthread_spin_lock(spinlock *lock) {
    __unpick_atomic_begin();
    check(lock);
    __unpick_taken((void *)lock, 1);
    __unpick_wait(*lock == 0);
    *lock = __unpick_self() + 1;
    __unpick_atomic_end();
    return 0;
}

/// pthread_spin_trylock: exact
int pthread_spin_trylock(spinlock *lock) {
    __unpick_atomic_begin();
    check(lock);
    int is_free = *lock == 0;
    if (is_free) __unpick_got((void *)lock, 1);
    if (is_free) *lock = __unpick_self() + 1;
    __unpick_atomic_end();
    return is_free ? 0 : 16;
}

/// pthread_spin_unlock: exact — unlocking what one does not hold is an unlock-error
int pthread_spin_unlock(spinlock *lock) {
    __unpick_atomic_begin();
    check(lock);
    if (*lock == 0) __unpick_fail("unlock-error", "a spinlock is unlocked that is not locked");
    if (*lock != __unpick_self() + 1) __unpick_fail("unlock-error", "a spinlock is unlocked that another thread holds");
    __unpick_given_back((void *)lock, 1);
    *lock = 0;
    __unpick_atomic_end();
    return 0;
}

//! header: pthread.h
// Barriers: all wait on a list, and the last to arrive wakes them.

struct waiter {
    struct waiter *next;
    void *with;
    int thread;
    int is_woken;
};

struct barrier {
    struct waiter *first;
    unsigned n_arrived;
    // How many have to come; 0 when destroyed.
    unsigned n_needed;
};

void __waiters_add(struct waiter **list, struct waiter *waiter, void *with);
void __waiters_wake_all(struct waiter **list, int how);

static void check(struct barrier *barrier) {
    if (barrier->n_needed == 0) __unpick_fail("unlock-error", "a barrier is used that was destroyed or never initialised");
}

/// pthread_barrier_init: exact — fails only with `--library-fails`
int pthread_barrier_init(struct barrier *restrict barrier, const void *restrict attributes, unsigned n_needed) {
    (void)attributes;
    if (n_needed == 0 || n_needed > 0x7fffffff) return 22;
    if (__unpick_option("library-fails") && __VERIFIER_nondet_bool()) return 11;
    __unpick_atomic_begin();
    barrier->first = (struct waiter *)0;
    barrier->n_arrived = 0;
    barrier->n_needed = n_needed;
    __unpick_atomic_end();
    return 0;
}

/// pthread_barrier_destroy: exact — destroying one that threads wait at is an unlock-error
int pthread_barrier_destroy(struct barrier *barrier) {
    __unpick_atomic_begin();
    check(barrier);
    if (barrier->n_arrived != 0) __unpick_fail("unlock-error", "a barrier is destroyed while threads wait at it");
    barrier->n_needed = 0;
    __unpick_atomic_end();
    return 0;
}

// The last to arrive lets all go and picks any one of them for the special result.
static int open_up(struct barrier *barrier) {
    struct waiter *special = barrier->first;
    while (special && __VERIFIER_nondet_bool()) special = special->next;
    __waiters_wake_all(&barrier->first, 1);
    barrier->n_arrived = 0;
    if (special) special->is_woken = 2;
    return !special;
}

/// pthread_barrier_wait: exact — any one of the threads gets PTHREAD_BARRIER_SERIAL_THREAD
int pthread_barrier_wait(struct barrier *barrier) {
    struct waiter waiter;
    int is_special = 0;
    __unpick_atomic_begin();
    check(barrier);
    barrier->n_arrived++;
    int is_last = barrier->n_arrived == barrier->n_needed;
    if (is_last)
        is_special = open_up(barrier);
    else
        __waiters_add(&barrier->first, &waiter, (void *)0);
    __unpick_atomic_end();
    if (is_last) return is_special ? -1 : 0;
    __unpick_atomic_begin();
    __unpick_wait(waiter.is_woken);
    is_special = waiter.is_woken == 2;
    __unpick_atomic_end();
    return is_special ? -1 : 0;
}

/// pthread_barrierattr_init: exact
int pthread_barrierattr_init(int *attributes) {
    *attributes = 0;
    return 0;
}

/// pthread_barrierattr_destroy: exact
int pthread_barrierattr_destroy(int *attributes) {
    (void)attributes;
    return 0;
}

/// pthread_barrierattr_setpshared: exact — there is one process
int pthread_barrierattr_setpshared(int *attributes, int is_shared) {
    (void)attributes;
    return is_shared == 0 || is_shared == 1 ? 0 : 22;
}

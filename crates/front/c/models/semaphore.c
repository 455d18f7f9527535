//! header: semaphore.h
// Semaphores: the value is inside the object.

struct timespec {
    long tv_sec;
    long tv_nsec;
};

struct semaphore {
    // All ones when destroyed.
    unsigned value;
};

int *__errno_location(void);

static int refuse(int error) {
    *__errno_location() = error;
    return -1;
}

static void check(struct semaphore *semaphore) {
    if (semaphore->value == ~0u) __unpick_fail("unlock-error", "a semaphore is used that was destroyed");
}

/// sem_init: exact — fails only with `--library-fails`, or for values above SEM_VALUE_MAX
int sem_init(struct semaphore *semaphore, int is_shared, unsigned value) {
    (void)is_shared;
    if (value > 0x7fffffff) return refuse(22);
    if (__unpick_option("library-fails") && __VERIFIER_nondet_bool()) return refuse(28);
    semaphore->value = value;
    return 0;
}

/// sem_destroy: bounded — threads that wait for it are not noticed
int sem_destroy(struct semaphore *semaphore) {
    __unpick_atomic_begin();
    check(semaphore);
    semaphore->value = ~0u;
    __unpick_atomic_end();
    return 0;
}

/// sem_wait: exact — never interrupted
int sem_wait(struct semaphore *semaphore) {
    __unpick_atomic_begin();
    check(semaphore);
    __unpick_wait(semaphore->value > 0);
    semaphore->value--;
    __unpick_atomic_end();
    return 0;
}

int __cancel_is_requested(void);
void __cancel_point(void);
void __cancel_act(void);

// As sem_wait, in programs that cancel threads.
int __cancellable_sem_wait(struct semaphore *semaphore) {
    __cancel_point();
    __unpick_atomic_begin();
    check(semaphore);
    __unpick_wait(semaphore->value > 0 || __cancel_is_requested());
    int is_cancelled = __cancel_is_requested() && (semaphore->value == 0 || __VERIFIER_nondet_bool());
    if (!is_cancelled) semaphore->value--;
    __unpick_atomic_end();
    if (is_cancelled) __cancel_act();
    return 0;
}

static int try(struct semaphore *semaphore) {
    __unpick_atomic_begin();
    check(semaphore);
    int is_open = semaphore->value > 0;
    if (is_open) semaphore->value--;
    __unpick_atomic_end();
    return is_open;
}

/// sem_trywait: exact
int sem_trywait(struct semaphore *semaphore) { return try(semaphore) ? 0 : refuse(11); }

// A semaphore that is closed when the thread looks at it is a timeout: a later look is the same thread running later.
static int in_time(struct semaphore *semaphore, const struct timespec *until) {
    if (try(semaphore)) return 0;
    return refuse(until->tv_nsec < 0 || until->tv_nsec >= 1000000000 ? 22 : 110);
}

/// sem_timedwait: exact — times out at any moment
int sem_timedwait(struct semaphore *restrict semaphore, const struct timespec *restrict until) {
    return in_time(semaphore, until);
}

/// sem_clockwait: exact — times out at any moment
int sem_clockwait(struct semaphore *restrict semaphore, int clock, const struct timespec *restrict until) {
    (void)clock;
    return in_time(semaphore, until);
}

/// sem_post: exact
int sem_post(struct semaphore *semaphore) {
    __unpick_atomic_begin();
    check(semaphore);
    int is_full = semaphore->value == 0x7fffffff;
    if (!is_full) semaphore->value++;
    __unpick_atomic_end();
    return is_full ? refuse(75) : 0;
}

/// sem_getvalue: exact
int sem_getvalue(struct semaphore *restrict semaphore, int *restrict value) {
    __unpick_atomic_begin();
    check(semaphore);
    int now = semaphore->value;
    __unpick_atomic_end();
    *value = now;
    return 0;
}

/// sem_open: unmodelled
struct semaphore *sem_open(const char *name, int flags, ...) {
    (void)name, (void)flags;
    __unpick_unmodelled("sem_open");
    return (struct semaphore *)0;
}

/// sem_close: unmodelled
int sem_close(struct semaphore *semaphore) {
    (void)semaphore;
    __unpick_unmodelled("sem_close");
    return 0;
}

/// sem_unlink: unmodelled
int sem_unlink(const char *name) {
    (void)name;
    __unpick_unmodelled("sem_unlink");
    return 0;
}

//! header: pthread.h
// Condition variables. A wait gives the mutex back and queues up in one step; whoever signals takes a waiter off the
// queue; then the waiter takes the mutex again.
//
// Whether a wait ends without a signal is decided when it begins: a thread that will wake up for no reason does not
// queue. So there is always the execution in which nobody comes to help, and a spurious wake-up hides no deadlock.

struct timespec {
    long tv_sec;
    long tv_nsec;
};

struct waiter {
    struct waiter *next;
    void *with;
    int thread;
    int is_woken;
};

struct condition {
    struct waiter *first;
    int is_destroyed;
};

void __waiters_add(struct waiter **list, struct waiter *waiter, void *with);
void __waiters_wake(struct waiter *waiter, int how);
void __waiters_remove(struct waiter **list, struct waiter *waiter);
void __waiters_wake_one(struct waiter **list);
void __waiters_wake_all(struct waiter **list, int how);
void __mutex_release(void *mutex);
int __mutex_take(void *mutex);
int __cancel_is_requested(void);
void __cancel_point(void);
void __cancel_chance(void);
void __cancel_act(void);

static void check(struct condition *condition) {
    if (condition->is_destroyed) __unpick_fail("unlock-error", "a condition variable is used that was destroyed");
}

/// pthread_cond_init: exact — fails only with `--library-fails`
int pthread_cond_init(struct condition *restrict condition, const void *restrict attributes) {
    (void)attributes;
    if (__unpick_option("library-fails") && __VERIFIER_nondet_bool()) return 11;
    __unpick_atomic_begin();
    condition->first = (struct waiter *)0;
    condition->is_destroyed = 0;
    __unpick_atomic_end();
    return 0;
}

/// pthread_cond_destroy: exact — destroying one that threads wait for is an unlock-error
int pthread_cond_destroy(struct condition *condition) {
    __unpick_atomic_begin();
    check(condition);
    if (condition->first) __unpick_fail("unlock-error", "a condition variable is destroyed while threads wait for it");
    condition->is_destroyed = 1;
    __unpick_atomic_end();
    return 0;
}

/// pthread_cond_signal: exact — wakes any one of the waiting threads
int pthread_cond_signal(struct condition *condition) {
    __unpick_atomic_begin();
    check(condition);
    __waiters_wake_one(&condition->first);
    __unpick_atomic_end();
    return 0;
}

/// pthread_cond_broadcast: exact
int pthread_cond_broadcast(struct condition *condition) {
    __unpick_atomic_begin();
    check(condition);
    __waiters_wake_all(&condition->first, 1);
    __unpick_atomic_end();
    return 0;
}

// Gives the mutex back and queues up, unless the wait is to end for no reason.
static void enter(struct condition *condition, void *mutex, struct waiter *waiter) {
    __unpick_atomic_begin();
    check(condition);
    if (condition->first && condition->first->with != mutex)
        __unpick_fail("unlock-error", "threads wait for one condition variable with different mutexes");
    __mutex_release(mutex);
    if (!__unpick_option("no-spurious") && __VERIFIER_nondet_bool())
        __waiters_wake(waiter, 1);
    else
        __waiters_add(&condition->first, waiter, mutex);
    __unpick_atomic_end();
}

/// pthread_cond_wait: exact — with spurious wake-ups; waiting without the mutex is an unlock-error
int pthread_cond_wait(struct condition *restrict condition, void *restrict mutex) {
    struct waiter waiter;
    enter(condition, mutex, &waiter);
    __unpick_atomic_begin();
    __unpick_wait(waiter.is_woken);
    int error = __mutex_take(mutex);
    if (error <= 0) __unpick_taken(mutex, 1);
    __unpick_wait(error >= 0);
    __unpick_atomic_end();
    return 0;
}

// The deadline passes at any moment: a thread that finds itself still waiting when it runs is late.
static int wait_in_time(struct condition *condition, void *mutex, const struct timespec *until) {
    struct waiter waiter;
    if (until->tv_nsec < 0 || until->tv_nsec >= 1000000000) return 22;
    enter(condition, mutex, &waiter);
    __unpick_atomic_begin();
    int is_late = !waiter.is_woken;
    if (is_late) __waiters_remove(&condition->first, &waiter);
    __unpick_atomic_end();
    __unpick_atomic_begin();
    int error = __mutex_take(mutex);
    if (error <= 0) __unpick_taken(mutex, 1);
    __unpick_wait(error >= 0);
    __unpick_atomic_end();
    return is_late ? 110 : 0;
}

/// pthread_cond_timedwait: exact — times out at any moment
int pthread_cond_timedwait(
    struct condition *restrict condition, void *restrict mutex, const struct timespec *restrict until) {
    return wait_in_time(condition, mutex, until);
}

/// pthread_cond_clockwait: exact — times out at any moment
int pthread_cond_clockwait(
    struct condition *restrict condition, void *restrict mutex, int clock, const struct timespec *restrict until) {
    (void)clock;
    return wait_in_time(condition, mutex, until);
}

// Whoever is cancelled must not use up a signal that another thread waits for. The object may be gone by now.
static int has_others(struct condition *condition) {
    return __unpick_object_size(condition) != (__typeof__(sizeof 0))-1 && condition->first;
}

// As pthread_cond_wait, in programs that cancel threads: whoever is cancelled holds the mutex.
int __cancellable_pthread_cond_wait(struct condition *restrict condition, void *restrict mutex) {
    struct waiter waiter;
    __cancel_point();
    enter(condition, mutex, &waiter);
    __unpick_atomic_begin();
    __unpick_wait(waiter.is_woken || __cancel_is_requested());
    int is_cancelled = 0;
    if (!waiter.is_woken) {
        is_cancelled = 1;
        __waiters_remove(&condition->first, &waiter);
    } else if (__cancel_is_requested() && !has_others(condition)) {
        is_cancelled = __VERIFIER_nondet_bool();
    }
    __unpick_atomic_end();
    __unpick_atomic_begin();
    int error = __mutex_take(mutex);
    if (error <= 0) __unpick_taken(mutex, 1);
    __unpick_wait(error >= 0);
    __unpick_atomic_end();
    if (is_cancelled) __cancel_act();
    return 0;
}

// As pthread_cond_timedwait, in programs that cancel threads.
int __cancellable_pthread_cond_timedwait(
    struct condition *restrict condition, void *restrict mutex, const struct timespec *restrict until) {
    __cancel_point();
    int status = wait_in_time(condition, mutex, until);
    if (status == 110 || (status == 0 && !has_others(condition))) __cancel_chance();
    return status;
}

/// pthread_condattr_init: exact
int pthread_condattr_init(int *attributes) {
    *attributes = 0;
    return 0;
}

/// pthread_condattr_destroy: exact
int pthread_condattr_destroy(int *attributes) {
    (void)attributes;
    return 0;
}

/// pthread_condattr_setclock: exact — timeouts come at any moment, whatever the clock
int pthread_condattr_setclock(int *attributes, int clock) {
    if (clock != 0 && clock != 1) return 22;
    *attributes = clock;
    return 0;
}

/// pthread_condattr_getclock: exact
int pthread_condattr_getclock(const int *restrict attributes, int *restrict clock) {
    *clock = *attributes;
    return 0;
}

/// pthread_condattr_setpshared: exact — there is one process
int pthread_condattr_setpshared(int *attributes, int is_shared) {
    (void)attributes;
    return is_shared == 0 || is_shared == 1 ? 0 : 22;
}

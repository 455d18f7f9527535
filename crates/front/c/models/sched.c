//! header: sched.h
// Scheduling: every interleaving is looked at anyway, so that yielding, priorities and processors change nothing.
typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);

static int refuse(int error) {
    *__errno_location() = error;
    return -1;
}

/// sched_yield: exact — every interleaving is looked at anyway
int sched_yield(void) { return 0; }

/// pthread_yield: exact — as sched_yield
int pthread_yield(void) { return 0; }

/// sched_get_priority_max: exact
int sched_get_priority_max(int policy) {
    if (policy < 0 || policy > 3) return refuse(22);
    return policy == 1 || policy == 2 ? 99 : 0;
}

/// sched_get_priority_min: exact
int sched_get_priority_min(int policy) {
    if (policy < 0 || policy > 3) return refuse(22);
    return policy == 1 || policy == 2 ? 1 : 0;
}

/// sched_getcpu: any value — one of 64 processors
int sched_getcpu(void) { return __VERIFIER_nondet_uint() & 63; }

/// pthread_setschedparam: exact — as sched_yield
int pthread_setschedparam(unsigned long thread, int policy, const int *priority) {
    (void)thread, (void)priority;
    return policy < 0 || policy > 3 ? 22 : 0;
}

/// pthread_setschedprio: exact — as sched_yield
int pthread_setschedprio(unsigned long thread, int priority) {
    (void)thread, (void)priority;
    return 0;
}

/// pthread_setconcurrency: exact — as sched_yield
int pthread_setconcurrency(int level) { return level < 0 ? 22 : 0; }

/// pthread_setaffinity_np: exact — as sched_yield
int pthread_setaffinity_np(unsigned long thread, size_t size, const void *processors) {
    (void)thread, (void)size, (void)processors;
    return 0;
}

/// sched_setaffinity: exact — as sched_yield
int sched_setaffinity(int process, size_t size, const void *processors) {
    (void)process, (void)size, (void)processors;
    return 0;
}

/// pthread_setname_np: exact — the name is not kept
int pthread_setname_np(unsigned long thread, const char *name) {
    (void)thread;
    for (int length = 0; length < 16; length++)
        if (!name[length]) return 0;
    return 34;
}

//! header: pthread.h
// Attributes of threads. Only whether a thread is detached has a meaning; the rest is remembered.
typedef __typeof__(sizeof 0) size_t;

struct attributes {
    int is_detached;
    int priority;
    size_t stack_size;
    size_t guard_size;
    unsigned char is_in_process, is_explicit, policy;
};

/// pthread_attr_init: exact
int pthread_attr_init(struct attributes *attributes) {
    if (__unpick_option("library-fails") && __VERIFIER_nondet_bool()) return 12;
    struct attributes initial = {0, 0, 8388608, 4096, 0, 0, 0};
    *attributes = initial;
    return 0;
}

/// pthread_attr_destroy: exact
int pthread_attr_destroy(struct attributes *attributes) {
    attributes->is_detached = -1;
    return 0;
}

/// pthread_attr_setdetachstate: exact
int pthread_attr_setdetachstate(struct attributes *attributes, int is_detached) {
    if (is_detached != 0 && is_detached != 1) return 22;
    attributes->is_detached = is_detached;
    return 0;
}

/// pthread_attr_getdetachstate: exact
int pthread_attr_getdetachstate(const struct attributes *attributes, int *is_detached) {
    *is_detached = attributes->is_detached;
    return 0;
}

/// pthread_attr_setstacksize: exact — stacks are as large as needed
int pthread_attr_setstacksize(struct attributes *attributes, size_t size) {
    if (size < 16384) return 22;
    attributes->stack_size = size;
    return 0;
}

/// pthread_attr_getstacksize: exact
int pthread_attr_getstacksize(const struct attributes *restrict attributes, size_t *restrict size) {
    *size = attributes->stack_size;
    return 0;
}

/// pthread_attr_setstack: bounded — the memory given is not used
int pthread_attr_setstack(struct attributes *attributes, void *stack, size_t size) {
    (void)stack;
    return pthread_attr_setstacksize(attributes, size);
}

/// pthread_attr_setguardsize: exact
int pthread_attr_setguardsize(struct attributes *attributes, size_t size) {
    attributes->guard_size = size;
    return 0;
}

/// pthread_attr_getguardsize: exact
int pthread_attr_getguardsize(const struct attributes *restrict attributes, size_t *restrict size) {
    *size = attributes->guard_size;
    return 0;
}

/// pthread_attr_setscope: exact
int pthread_attr_setscope(struct attributes *attributes, int scope) {
    if (scope == 1) return 95;
    if (scope != 0) return 22;
    attributes->is_in_process = 0;
    return 0;
}

/// pthread_attr_getscope: exact
int pthread_attr_getscope(const struct attributes *restrict attributes, int *restrict scope) {
    *scope = attributes->is_in_process;
    return 0;
}

/// pthread_attr_setinheritsched: exact — priorities do not matter where every interleaving counts
int pthread_attr_setinheritsched(struct attributes *attributes, int is_explicit) {
    if (is_explicit != 0 && is_explicit != 1) return 22;
    attributes->is_explicit = is_explicit;
    return 0;
}

/// pthread_attr_getinheritsched: exact
int pthread_attr_getinheritsched(const struct attributes *restrict attributes, int *restrict is_explicit) {
    *is_explicit = attributes->is_explicit;
    return 0;
}

/// pthread_attr_setschedpolicy: exact — as setinheritsched
int pthread_attr_setschedpolicy(struct attributes *attributes, int policy) {
    if (policy < 0 || policy > 2) return 22;
    attributes->policy = policy;
    return 0;
}

/// pthread_attr_getschedpolicy: exact
int pthread_attr_getschedpolicy(const struct attributes *restrict attributes, int *restrict policy) {
    *policy = attributes->policy;
    return 0;
}

/// pthread_attr_setschedparam: exact — as setinheritsched
int pthread_attr_setschedparam(struct attributes *restrict attributes, const int *restrict priority) {
    attributes->priority = *priority;
    return 0;
}

/// pthread_attr_getschedparam: exact
int pthread_attr_getschedparam(const struct attributes *restrict attributes, int *restrict priority) {
    *priority = attributes->priority;
    return 0;
}

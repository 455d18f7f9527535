//! header: pthread.h
// Cancellation of the deferred type. A request is a record on a list, in the order of thread numbers; a thread looks for
// its own where it calls a function that POSIX names as a cancellation point (in programs that cancel, calls of them
// are preceded by `__cancel_point`, those of functions that may be one by `__cancel_chance`, and functions that wait have
// a twin whose wait is ended by a request). Then its cleanup handlers run, and it leaves PTHREAD_CANCELED.
typedef unsigned long pthread_t;

struct request {
    struct request *next;
    int thread;
};

static struct request *requests;

// Some thread has chosen to be cancelled anywhere, not only at cancellation points.
static int is_asynchronous;

// The type of the running thread: 0 deferred, 1 asynchronous.
static _Thread_local int type;

extern _Thread_local void *__thread_handler;
extern _Thread_local int __thread_is_uncancellable;
void **__thread_handler_before(void *handler);
void __thread_unwind(void);
int __thread_state(pthread_t thread);
void pthread_exit(void *result);

// Where the request for a thread is or should be.
static struct request **find(int thread) {
    struct request **place = &requests;
    while (*place && (*place)->thread < thread) place = &(*place)->next;
    return place;
}

// Whether somebody wants the running thread to end and it can be cancelled; for use in atomic sections.
int __cancel_is_requested(void) {
    if (__thread_is_uncancellable) return 0;
    int me = __unpick_self();
    struct request *request = *find(me);
    return request && request->thread == me;
}

void __cancel_act(void) {
    __unpick_atomic_begin();
    struct request **place = find(__unpick_self()), *request = *place;
    *place = request->next;
    __unpick_free(request);
    __unpick_atomic_end();
    pthread_exit((void *)-1);
}

void __cancel_point(void) {
    __unpick_atomic_begin();
    int is_requested = __cancel_is_requested();
    __unpick_atomic_end();
    if (is_requested) __cancel_act();
}

// Before functions of which POSIX leaves open whether they are cancellation points.
void __cancel_chance(void) {
    __unpick_atomic_begin();
    int is_cancelled = __cancel_is_requested() && __VERIFIER_nondet_bool();
    __unpick_atomic_end();
    if (is_cancelled) __cancel_act();
}

/// pthread_cancel: exact — unmodelled once a thread has the asynchronous type; cancelling a joined thread is an unlock-error
int pthread_cancel(pthread_t thread) {
    __unpick_atomic_begin();
    if (is_asynchronous) __unpick_unmodelled("asynchronous cancellation");
    int state = __thread_state(thread);
    if (state == 2) __unpick_fail("unlock-error", "a thread is cancelled that is joined");
    if (state == 0 || state == 1) {
        struct request **place = find((int)thread), *next = *place;
        if (!next || next->thread != (int)thread) {
            struct request *request = __unpick_alloc(sizeof *request, 16, 0);
            request->next = next;
            request->thread = (int)thread;
            *place = request;
        }
    }
    __unpick_atomic_end();
    return state < 0 ? 3 : 0;
}

/// pthread_testcancel: exact
void pthread_testcancel(void) {
    if (__unpick_option("cancels")) __cancel_point();
}

/// pthread_setcancelstate: exact
int pthread_setcancelstate(int state, int *old) {
    if (state != 0 && state != 1) return 22;
    if (old) *old = __thread_is_uncancellable;
    __thread_is_uncancellable = state;
    // One of the asynchronous type does not wait for a cancellation point.
    if (type == 1) pthread_testcancel();
    return 0;
}

/// pthread_setcanceltype: exact — see pthread_cancel
int pthread_setcanceltype(int wanted, int *old) {
    if (wanted != 0 && wanted != 1) return 22;
    if (old) *old = type;
    type = wanted;
    if (wanted == 1 && __unpick_option("cancels")) {
        __unpick_atomic_begin();
        is_asynchronous = 1;
        __unpick_atomic_end();
        __cancel_point();
    }
    return 0;
}

/// __sigsetjmp_cancel: exact — as a call by name
int __sigsetjmp_cancel(void *place, int is_saving) {
    (void)place, (void)is_saving;
    __unpick_unmodelled("__sigsetjmp_cancel called through a pointer");
    return 0;
}

/// __pthread_register_cancel: exact
void __pthread_register_cancel(void *buffer) {
    *__thread_handler_before(buffer) = __thread_handler;
    __thread_handler = buffer;
}

/// __pthread_unregister_cancel: exact
void __pthread_unregister_cancel(void *buffer) { __thread_handler = *__thread_handler_before(buffer); }

/// __pthread_unwind_next: exact
void __pthread_unwind_next(void *buffer) {
    (void)buffer;
    __thread_unwind();
}

/// pthread_atfork: exact — the handlers are forgotten, fork has no model; fails only with `--library-fails`
int pthread_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    (void)before, (void)in_parent, (void)in_child;
    return __unpick_option("library-fails") && __VERIFIER_nondet_bool() ? 12 : 0;
}

/// pthread_kill: unmodelled — except to ask whether a thread is there
int pthread_kill(unsigned long thread, int signal) {
    (void)thread;
    if (signal != 0) __unpick_unmodelled("pthread_kill");
    return 0;
}

/// pthread_sigmask: exact — no signal arrives from outside the program
int pthread_sigmask(int how, const void *restrict set, void *restrict old) {
    (void)set;
    if (old) __unpick_unmodelled("pthread_sigmask that asks for the old mask");
    return how >= 0 && how <= 2 ? 0 : 22;
}

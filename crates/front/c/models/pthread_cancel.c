//! header: pthread.h
// Cancellation has no model: asking for it is said, switching it off is not needed. Cleanup handlers run where they
// are popped.

extern _Thread_local int __thread_n_handlers;

/// pthread_cancel: unmodelled
int pthread_cancel(unsigned long thread) {
    (void)thread;
    __unpick_unmodelled("pthread_cancel");
    return 0;
}

/// pthread_testcancel: exact — nobody cancels
void pthread_testcancel(void) {}

/// pthread_setcancelstate: bounded — the old state is always said to be PTHREAD_CANCEL_ENABLE
int pthread_setcancelstate(int state, int *old) {
    if (state != 0 && state != 1) return 22;
    if (old) *old = 0;
    return 0;
}

/// pthread_setcanceltype: bounded — the old type is always said to be PTHREAD_CANCEL_DEFERRED
int pthread_setcanceltype(int type, int *old) {
    if (type != 0 && type != 1) return 22;
    if (old) *old = 0;
    return 0;
}

/// __sigsetjmp_cancel: exact — nobody cancels
int __sigsetjmp_cancel(void *place, int is_saving) {
    (void)place, (void)is_saving;
    return 0;
}

/// __pthread_register_cancel: exact
void __pthread_register_cancel(void *buffer) {
    (void)buffer;
    __thread_n_handlers++;
}

/// __pthread_unregister_cancel: exact
void __pthread_unregister_cancel(void *buffer) {
    (void)buffer;
    __thread_n_handlers--;
}

/// __pthread_unwind_next: unmodelled
void __pthread_unwind_next(void *buffer) {
    (void)buffer;
    __unpick_unmodelled("cancellation");
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

//! header: stdlib.h
// Ways to end: handlers run in the reverse order of their registration, then the program stops.
typedef __typeof__(sizeof 0) size_t;

struct handler {
    void (*plain)(void);
    void (*with_argument)(void *);
    void (*with_status)(int, void *);
    void *argument;
};

// POSIX promises at least 32.
static struct handler at_exit[64], at_quick[64];
static int n_at_exit, n_at_quick;

static int add(struct handler *list, int *n, struct handler handler) {
    if (*n == 64) {
        __unpick_unmodelled("more than 64 exit handlers");
        return -1;
    }
    list[(*n)++] = handler;
    return 0;
}

static void run(struct handler *list, int *n, int code) {
    while (*n > 0) {
        struct handler handler = list[--*n];
        if (handler.plain) handler.plain();
        if (handler.with_argument) handler.with_argument(handler.argument);
        if (handler.with_status) handler.with_status(code, handler.argument);
    }
}

/// atexit: exact — at most 64 handlers
int atexit(void (*function)(void)) {
    struct handler handler = {function, 0, 0, 0};
    return add(at_exit, &n_at_exit, handler);
}

/// __cxa_atexit: exact — at most 64 handlers
int __cxa_atexit(void (*function)(void *), void *argument, void *library) {
    struct handler handler = {0, function, 0, argument};
    (void)library;
    return add(at_exit, &n_at_exit, handler);
}

/// on_exit: exact — at most 64 handlers
int on_exit(void (*function)(int, void *), void *argument) {
    struct handler handler = {0, 0, function, argument};
    return add(at_exit, &n_at_exit, handler);
}

/// at_quick_exit: exact — at most 64 handlers
int at_quick_exit(void (*function)(void)) {
    struct handler handler = {function, 0, 0, 0};
    return add(at_quick, &n_at_quick, handler);
}

/// exit: exact
void exit(int code) {
    run(at_exit, &n_at_exit, code);
    __unpick_exit(code);
}

/// quick_exit: exact
void quick_exit(int code) {
    run(at_quick, &n_at_quick, code);
    __unpick_exit(code);
}

/// _exit: exact
void _exit(int code) { __unpick_exit(code); }

/// _Exit: exact
void _Exit(int code) { __unpick_exit(code); }

/// abort: exact
void abort(void) { __unpick_abort(); }

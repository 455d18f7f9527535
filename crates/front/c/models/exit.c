//! header: stdlib.h
// Ways to end: handlers run in the reverse order of their registration, then the program stops.
typedef __typeof__(sizeof 0) size_t;

struct handler {
    void (*plain)(void);
    void (*with_argument)(void *);
    void (*with_status)(int, void *);
    void *argument;
    struct handler *next;
};

// The latest first. A list, because a state of the program should hold no more than was registered.
static struct handler *at_exit, *at_quick;

static int add(struct handler **list, struct handler handler) {
    struct handler *added = __unpick_alloc(sizeof handler, 16, 0);
    handler.next = *list;
    *added = handler;
    *list = added;
    return 0;
}

static void run(struct handler **list, int code) {
    while (*list) {
        struct handler handler = **list;
        __unpick_free(*list);
        *list = handler.next;
        if (handler.plain) handler.plain();
        if (handler.with_argument) handler.with_argument(handler.argument);
        if (handler.with_status) handler.with_status(code, handler.argument);
    }
}

/// atexit: exact
int atexit(void (*function)(void)) {
    struct handler handler = {function, 0, 0, 0, 0};
    return add(&at_exit, handler);
}

/// __cxa_atexit: exact
int __cxa_atexit(void (*function)(void *), void *argument, void *library) {
    struct handler handler = {0, function, 0, argument, 0};
    (void)library;
    return add(&at_exit, handler);
}

/// on_exit: exact
int on_exit(void (*function)(int, void *), void *argument) {
    struct handler handler = {0, 0, function, argument, 0};
    return add(&at_exit, handler);
}

/// at_quick_exit: exact
int at_quick_exit(void (*function)(void)) {
    struct handler handler = {function, 0, 0, 0, 0};
    return add(&at_quick, handler);
}

/// exit: exact
void exit(int code) {
    run(&at_exit, code);
    __unpick_exit(code);
}

/// quick_exit: exact
void quick_exit(int code) {
    run(&at_quick, code);
    __unpick_exit(code);
}

/// _exit: exact
void _exit(int code) { __unpick_exit(code); }

/// _Exit: exact
void _Exit(int code) { __unpick_exit(code); }

/// abort: exact
void abort(void) { __unpick_abort(); }

//! header: pthread.h
// Threads: starting, ending and joining them. A `pthread_t` is the number of a thread; what joining needs to know is
// a record on a list, because a state of the program should hold no more than was started.
typedef unsigned long pthread_t;
typedef void *routine(void *);

void exit(int code);

struct record {
    struct record *next;
    // What the thread leaves to whoever joins it.
    void *result;
    int number;
    // 0 joinable, 1 detached, 2 joined.
    int state;
};

// The latest first; the first thread has a record only once it has been joined or detached.
static struct record *records;

// The first thread has called pthread_exit and waits for the others.
static int first_has_left;

// The record of the running thread, unless it is the first.
static _Thread_local struct record *mine;

// What is to be done before the thread ends: destructors of its keys.
_Thread_local void (*__thread_cleanup)(void);

// The latest cleanup handler of the thread that has not been popped: the buffer of its pthread_cleanup_push.
_Thread_local void *__thread_handler;

// The thread takes no notice of requests to end.
_Thread_local int __thread_is_uncancellable;

int __cancel_is_requested(void);
void __cancel_point(void);
void __cancel_act(void);

static struct record *add_record(int number, int state) {
    struct record *record = __unpick_alloc(sizeof *record, 16, 0);
    record->next = records;
    record->result = (void *)0;
    record->number = number;
    record->state = state;
    records = record;
    return record;
}

// The record of a thread that was started, null for numbers that name none.
static struct record *find(pthread_t thread) {
    struct record *record = records;
    while (record && (pthread_t)record->number != thread) record = record->next;
    if (!record && thread == 0) record = add_record(0, 0);
    return record;
}

static void leave(void *result) {
    if (__thread_cleanup) __thread_cleanup();
    if (mine) mine->result = result;
}

// The first function of a thread.
static void begin(struct record *record, routine *function, void *argument) {
    mine = record;
    leave(function(argument));
}

static void begin_c11(struct record *record, int (*function)(void *), void *argument) {
    mine = record;
    leave((void *)(long)function(argument));
}

static int start(pthread_t *id, int is_detached, void *first, void *function, void *argument) {
    if (__unpick_option("library-fails") && __VERIFIER_nondet_bool()) return 11;
    __unpick_atomic_begin();
    struct record *record = add_record(0, is_detached);
    record->number = __unpick_spawn(first, record, function, argument);
    *id = record->number;
    __unpick_atomic_end();
    return 0;
}

/// pthread_create: exact — fails only with `--library-fails`
int pthread_create(pthread_t *restrict id, const void *restrict attributes, routine *function, void *restrict argument) {
    int is_detached = attributes ? *(const int *)attributes : 0;
    return start(id, is_detached, begin, function, argument);
}

// As pthread_create, for functions that return an int.
int __thread_create_c11(pthread_t *id, int (*function)(void *), void *argument) {
    return start(id, 0, begin_c11, function, argument);
}

static int has_ended(int number) {
    if (number == 0) return first_has_left || __unpick_ended(0);
    return __unpick_ended(number);
}

// The record of a thread somebody is about to join.
static struct record *joinable(pthread_t thread) {
    struct record *record = find(thread);
    if (!record) {
        __unpick_fail("unlock-error", "a thread is joined that was never started");
        return (struct record *)0;
    }
    if (record->state == 1) __unpick_fail("unlock-error", "a thread is joined that is detached");
    if (record->state == 2) __unpick_fail("unlock-error", "a thread is joined for the second time");
    return record;
}

static void *take_result(struct record *record) {
    void *result = record->result;
    record->result = (void *)0;
    record->state = 2;
    return result;
}

/// pthread_join: exact — joining twice or a detached thread is an unlock-error; joining oneself blocks for ever
int pthread_join(pthread_t thread, void **result) {
    __unpick_atomic_begin();
    struct record *record = joinable(thread);
    if (!record) {
        __unpick_atomic_end();
        return 3;
    }
    __unpick_wait(has_ended(record->number));
    void *left = take_result(record);
    __unpick_atomic_end();
    if (result) *result = left;
    return 0;
}

/// pthread_tryjoin_np: exact
int pthread_tryjoin_np(pthread_t thread, void **result) {
    __unpick_atomic_begin();
    struct record *record = joinable(thread);
    if (!record) {
        __unpick_atomic_end();
        return 3;
    }
    int is_over = has_ended(record->number);
    void *left = (void *)0;
    if (is_over) left = take_result(record);
    __unpick_atomic_end();
    if (!is_over) return 16;
    if (result) *result = left;
    return 0;
}

/// pthread_timedjoin_np: exact — times out at any moment
int pthread_timedjoin_np(pthread_t thread, void **result, const void *until) {
    (void)until;
    int status = pthread_tryjoin_np(thread, result);
    return status == 16 ? 110 : status;
}

/// pthread_detach: exact — detaching twice or after a join is an unlock-error
int pthread_detach(pthread_t thread) {
    __unpick_atomic_begin();
    struct record *record = find(thread);
    if (!record) {
        __unpick_fail("unlock-error", "a thread is detached that was never started");
        __unpick_atomic_end();
        return 3;
    }
    if (record->state == 1) __unpick_fail("unlock-error", "a thread is detached for the second time");
    if (record->state == 2) __unpick_fail("unlock-error", "a thread is detached that is joined");
    record->state = 1;
    __unpick_atomic_end();
    return 0;
}

/// pthread_self: exact
pthread_t pthread_self(void) { return __unpick_self(); }

/// pthread_equal: exact
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }

static int others_have_ended(void) {
    for (struct record *record = records; record; record = record->next)
        if (record->number != 0 && !__unpick_ended(record->number)) return 0;
    return 1;
}

// Where a buffer of pthread_cleanup_push keeps the one before it: behind the registers that glibc has in it.
void **__thread_handler_before(void *handler) { return (void **)((char *)handler + (sizeof(long) == 8 ? 72 : 28)); }

// Back to the latest cleanup handler, which runs and comes here again; after the last one the thread ends.
void __thread_unwind(void) {
    void *handler = __thread_handler;
    if (handler) {
        __thread_handler = *__thread_handler_before(handler);
        __unpick_long_jump(handler, 1);
    }
    if (__thread_cleanup) __thread_cleanup();
    if (__unpick_self() != 0) __unpick_end_thread();
    __unpick_atomic_begin();
    first_has_left = 1;
    __unpick_atomic_end();
    __unpick_atomic_begin();
    __unpick_wait(others_have_ended());
    __unpick_atomic_end();
    exit(0);
}

/// pthread_exit: exact — in the first thread it waits for all others
void pthread_exit(void *result) {
    __thread_is_uncancellable = 1;
    if (mine) mine->result = result;
    __thread_unwind();
}

// 0 joinable, 1 detached, 2 joined, -1 never started.
int __thread_state(pthread_t thread) {
    struct record *record = find(thread);
    return record ? record->state : -1;
}

static int can_be_joined(pthread_t thread) {
    struct record *record = find(thread);
    return !record || record->state != 0 || has_ended(record->number);
}

// As pthread_join, in programs that cancel threads.
int __cancellable_pthread_join(pthread_t thread, void **result) {
    __cancel_point();
    __unpick_atomic_begin();
    // Not only the end of that thread ends the wait: looking at two ends says so.
    (void)__unpick_ended(__unpick_self());
    __unpick_wait(can_be_joined(thread) || __cancel_is_requested());
    int is_cancelled = __cancel_is_requested() && (!can_be_joined(thread) || __VERIFIER_nondet_bool());
    __unpick_atomic_end();
    if (is_cancelled) __cancel_act();
    return pthread_join(thread, result);
}

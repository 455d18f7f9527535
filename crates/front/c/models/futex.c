//! header: sys/syscall.h
// System calls by number: threads that wait for a word to change (futex), and nothing else.

struct timespec;

struct waiter {
    struct waiter *next;
    void *with;
    int thread;
    int is_woken;
};

enum { WAIT = 0, WAKE = 1, WAIT_BITSET = 9, WAKE_BITSET = 10, FLAGS = 128 | 256 };

int *__errno_location(void);
void __waiters_add(struct waiter **list, struct waiter *waiter, void *with);
void __waiters_wake(struct waiter *waiter, int how);
void __waiters_remove(struct waiter **list, struct waiter *waiter);

// All that wait, whatever word they wait for.
static struct waiter *waiting;

static int refuse(int error) {
    *__errno_location() = error;
    return -1;
}

// Looks at the word and queues up in one step. As with conditions, whether a wait ends for no reason is decided when it
// begins, so that there is always the execution in which nobody comes to help.
static int wait(int *word, int expected, const struct timespec *timeout) {
    struct waiter waiter;
    __unpick_atomic_begin();
    int is_changed = __atomic_load_n(word, 5 /* seq_cst */) != expected;
    if (!is_changed) {
        if (!__unpick_option("no-spurious") && __VERIFIER_nondet_bool()) __waiters_wake(&waiter, 1);
        else __waiters_add(&waiting, &waiter, word);
    }
    __unpick_atomic_end();
    if (is_changed) return refuse(11);
    __unpick_atomic_begin();
    int is_late = timeout && !waiter.is_woken;
    if (is_late) __waiters_remove(&waiting, &waiter);
    else __unpick_wait(waiter.is_woken);
    __unpick_atomic_end();
    return is_late ? refuse(110) : 0;
}

// Any of those that wait for the word, as many as may be woken.
static int wake(int *word, int most) {
    int n_woken = 0;
    __unpick_atomic_begin();
    while (n_woken < most) {
        struct waiter **chosen = (struct waiter **)0;
        for (struct waiter **place = &waiting; *place; place = &(*place)->next)
            if ((*place)->with == word && (!chosen || __VERIFIER_nondet_bool())) chosen = place;
        if (!chosen) break;
        struct waiter *waiter = *chosen;
        *chosen = waiter->next;
        __waiters_wake(waiter, 1);
        n_woken++;
    }
    __unpick_atomic_end();
    return n_woken;
}

/// syscall: bounded — futex to wait and to wake; any other call returns anything and leaves memory alone
long syscall(long number, ...) {
    if (number != 202 && (sizeof(long) != 4 || number != 240)) {
        __unpick_note("system calls made by number are assumed to return any value and to leave memory alone, except for futex");
        return __VERIFIER_nondet_long();
    }
    __builtin_va_list list;
    __builtin_va_start(list, number);
    int *word = __builtin_va_arg(list, int *);
    int operation = __builtin_va_arg(list, int) & ~FLAGS;
    int value = __builtin_va_arg(list, int);
    long result = 0;
    if (operation == WAIT || operation == WAIT_BITSET)
        result = wait(word, value, __builtin_va_arg(list, const struct timespec *));
    else if (operation == WAKE || operation == WAKE_BITSET) result = wake(word, value);
    else __unpick_unmodelled("this operation of futex");
    __builtin_va_end(list);
    return result;
}

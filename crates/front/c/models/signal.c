//! header: signal.h
// Signals the program sends itself; none comes from outside.

int *__errno_location(void);

typedef void handler(int);
typedef __typeof__(sizeof 0) size_t;

struct action {
    handler *function;
    unsigned long mask[128 / sizeof(long)];
    int flags;
    void (*restorer)(void);
};

struct record {
    struct record *next;
    int number;
    struct action action;
};

enum { WITH_INFORMATION = 4, RESTART = 0x10000000 };

// Signals whose action was ever set or asked for; the others have the default action. A list, because a state of the
// program should hold no more than was set. The first records are nobody's: which thread came first should leave no trace.
static struct record *records;
static struct record firsts[2];
static int n_records;

static struct record *find(int number) {
    struct record *record = records;
    while (record && record->number != number) record = record->next;
    return record;
}

static struct action *action_of(int number) {
    struct record *record = find(number);
    if (!record) {
        record = n_records < 2 ? &firsts[n_records] : __unpick_alloc(sizeof *record, 16, 1);
        n_records++;
        record->next = records;
        record->number = number;
        records = record;
    }
    return &record->action;
}

static int refuse(int error) {
    *__errno_location() = error;
    return -1;
}

/// signal: exact — handlers run only by raise
handler *signal(int number, handler *function) {
    // Nobody handles SIGKILL and SIGSTOP.
    if (number <= 0 || number > 64 || number == 9 || number == 19) return (handler *)(long)refuse(22);
    __unpick_note("no signal arrives from outside the program");
    __unpick_atomic_begin();
    struct action *action = action_of(number);
    handler *old = action->function;
    __unpick_memset(action, 0, sizeof *action);
    action->function = function;
    action->mask[(number - 1) / (8 * sizeof(long))] = 1UL << (number - 1) % (8 * sizeof(long));
    action->flags = RESTART;
    __unpick_atomic_end();
    return old;
}

/// raise: exact — the default action of a signal ends the program
int raise(int number) {
    if (number == 0) return 0; // asks whether the process is there
    if (number <= 0 || number > 64) return refuse(22);
    __unpick_atomic_begin();
    struct record *record = find(number);
    handler *function = record ? record->action.function : (handler *)0;
    int flags = record ? record->action.flags : 0;
    if (function && flags < 0) record->action.function = (handler *)0; // SA_RESETHAND
    __unpick_atomic_end();
    if (function == (handler *)1) return 0;
    if (function) {
        if (flags & WITH_INFORMATION) __unpick_unmodelled("a signal handler that is told where the signal comes from");
        function(number);
        return 0;
    }
    if (number == 17 || number == 18 || number == 23 || number == 28) return 0;
    __unpick_abort();
    return 0;
}

/// kill: unmodelled
int kill(int process, int number) {
    (void)process, (void)number;
    __unpick_unmodelled("kill");
    return -1;
}

/// sigaction: exact — as signal; masks are kept but delay nothing
int sigaction(int number, const struct action *restrict new, struct action *restrict old) {
    if (number <= 0 || number > 64 || (new && (number == 9 || number == 19))) return refuse(22);
    __unpick_note("no signal arrives from outside the program");
    struct action set;
    if (new) set = *new;
    __unpick_atomic_begin();
    struct action before = *action_of(number);
    if (new) *action_of(number) = set;
    __unpick_atomic_end();
    if (old) *old = before;
    return 0;
}

/// sigemptyset: exact
int sigemptyset(void *set) {
    __unpick_memset(set, 0, 128);
    return 0;
}

/// sigfillset: exact
int sigfillset(void *set) {
    __unpick_memset(set, 255, 128);
    return 0;
}

/// alarm: unmodelled
unsigned alarm(unsigned seconds) {
    (void)seconds;
    __unpick_unmodelled("alarm");
    return 0;
}

//! header: signal.h
// Signals the program sends itself; none comes from outside.

typedef void handler(int);
typedef __typeof__(sizeof 0) size_t;

static handler *handlers[65];

/// signal: exact — handlers run only by raise
handler *signal(int number, handler *function) {
    if (number <= 0 || number > 64) return (handler *)-1;
    __unpick_note("no signal arrives from outside the program");
    handler *old = handlers[number];
    handlers[number] = function;
    return old;
}

/// raise: exact — the default action of a signal ends the program
int raise(int number) {
    if (number <= 0 || number > 64) return -1;
    handler *function = handlers[number];
    if (function == (handler *)1) return 0;
    if (function) {
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

/// sigaction: unmodelled
int sigaction(int number, const void *restrict action, void *restrict old) {
    (void)number, (void)action, (void)old;
    __unpick_unmodelled("sigaction");
    return -1;
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

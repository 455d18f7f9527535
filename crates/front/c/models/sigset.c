//! header: signal.h
// Sets of signals: one bit each, in words.
enum { BITS = 8 * sizeof(long), LAST = 64 };

int *__errno_location(void);

static int is_bad(int number) {
    if (number > 0 && number <= LAST) return 0;
    *__errno_location() = 22;
    return 1;
}

/// sigaddset: exact
int sigaddset(unsigned long *set, int number) {
    if (is_bad(number)) return -1;
    set[(number - 1) / BITS] |= 1UL << (number - 1) % BITS;
    return 0;
}

/// sigdelset: exact
int sigdelset(unsigned long *set, int number) {
    if (is_bad(number)) return -1;
    set[(number - 1) / BITS] &= ~(1UL << (number - 1) % BITS);
    return 0;
}

/// sigismember: exact
int sigismember(const unsigned long *set, int number) {
    if (is_bad(number)) return -1;
    return (int)(set[(number - 1) / BITS] >> (number - 1) % BITS & 1);
}

//! header: assert.h
// A failed assertion ends the execution with a violation at the assertion's own line.

/// __assert_fail: exact
void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    (void)text, (void)file, (void)line, (void)function;
    __unpick_fail("assertion", "assertion failed");
    __unpick_abort();
}

/// __assert_perror_fail: exact
void __assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
    (void)error, (void)file, (void)line, (void)function;
    __unpick_fail("assertion", "assertion failed: unexpected error number");
    __unpick_abort();
}

/// __assert: exact
void __assert(const char *text, const char *file, int line) {
    (void)text, (void)file, (void)line;
    __unpick_fail("assertion", "assertion failed");
    __unpick_abort();
}

//! header: stdlib.h
// What surrounds the program: variables of the environment and other programs. Nothing is known of them; variables
// the program sets itself are not remembered.
typedef __typeof__(sizeof 0) size_t;

size_t strlen(const char *s);
int *__errno_location(void);

/// getenv: bounded — absent, or any text of up to 7 bytes
char *getenv(const char *name) {
    static char value[8];
    (void)strlen(name);
    __unpick_note("variables of the environment are absent or hold any text of up to 7 bytes");
    if (!__VERIFIER_nondet_bool()) return (char *)0;
    size_t n = 0;
    while (n < 7 && __VERIFIER_nondet_bool()) {
        char c = __VERIFIER_nondet_char();
        __VERIFIER_assume(c != 0);
        value[n++] = c;
    }
    value[n] = 0;
    return value;
}

/// secure_getenv: bounded — as getenv
char *secure_getenv(const char *name) { return getenv(name); }

static int succeeds(void) {
    if (__VERIFIER_nondet_bool()) return 1;
    *__errno_location() = 12;
    return 0;
}

/// setenv: any value — succeeds or fails; not remembered
int setenv(const char *name, const char *value, int replaces) {
    (void)strlen(name), (void)strlen(value), (void)replaces;
    return succeeds() ? 0 : -1;
}

/// unsetenv: any value — succeeds or fails; not remembered
int unsetenv(const char *name) {
    (void)strlen(name);
    return succeeds() ? 0 : -1;
}

/// putenv: any value — succeeds or fails; not remembered
int putenv(char *definition) {
    (void)strlen(definition);
    return succeeds() ? 0 : -1;
}

/// clearenv: exact
int clearenv(void) { return 0; }

/// system: any value
int system(const char *command) {
    if (command) (void)strlen(command);
    __unpick_note("commands run with system leave the program's memory alone and return any status");
    return __VERIFIER_nondet_int();
}

/// mkstemp: unmodelled
int mkstemp(char *template) {
    (void)template;
    __unpick_unmodelled("mkstemp");
    return -1;
}

/// mkdtemp: unmodelled
char *mkdtemp(char *template) {
    (void)template;
    __unpick_unmodelled("mkdtemp");
    return (char *)0;
}

/// realpath: unmodelled
char *realpath(const char *restrict path, char *restrict resolved) {
    (void)path, (void)resolved;
    __unpick_unmodelled("realpath");
    return (char *)0;
}

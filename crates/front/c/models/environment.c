//! header: stdlib.h
// What surrounds the program: variables of the environment and other programs. Nothing is known of them but what the
// program sets itself, and that a variable stays what it is.
typedef __typeof__(sizeof 0) size_t;

struct variable {
    struct variable *next;
    char *name;
    // Null if it is absent.
    char *value;
};

enum { MOST = 7 };

size_t strlen(const char *s);
int strcmp(const char *s, const char *t);
int *__errno_location(void);

static struct variable *variables;
static int is_cleared;

// What the environment owns is no leak.
static char *copy_of(const char *text, size_t n) {
    char *copy = __unpick_alloc(n + 1, 1, 2);
    if (n > 0) __unpick_memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}

// A text of unknown bytes; it ends behind the last at the latest.
static char *any_text(void) {
    char *text = __unpick_alloc(MOST + 1, 1, 2);
    text[MOST] = 0;
    return text;
}

static struct variable *find(const char *name, size_t n) {
    char *copy = copy_of(name, n);
    struct variable *variable = variables;
    while (variable && strcmp(variable->name, copy)) variable = variable->next;
    if (variable) return variable;
    variable = __unpick_alloc(sizeof *variable, 16, 2);
    variable->name = copy;
    variable->value = (char *)0;
    variable->next = variables;
    variables = variable;
    if (!is_cleared) {
        __unpick_note("variables of the environment are absent or hold any text of up to 7 bytes");
        if (__VERIFIER_nondet_bool()) variable->value = any_text();
    }
    return variable;
}

/// getenv: bounded — absent, or any text of up to 7 bytes; the same each time
char *getenv(const char *name) {
    size_t n = strlen(name);
    __unpick_atomic_begin();
    char *value = find(name, n)->value;
    __unpick_atomic_end();
    return value;
}

/// secure_getenv: bounded — as getenv
char *secure_getenv(const char *name) { return getenv(name); }

static int refuse(int error) {
    *__errno_location() = error;
    return -1;
}

// Names are not empty and hold no `=`.
static int is_bad(const char *name, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (name[i] == '=') return 1;
    return n == 0;
}

/// setenv: exact — or fails for want of memory
int setenv(const char *name, const char *value, int replaces) {
    size_t n = strlen(name), length = strlen(value);
    if (is_bad(name, n)) return refuse(22);
    if (__VERIFIER_nondet_bool()) return refuse(12);
    __unpick_atomic_begin();
    struct variable *variable = find(name, n);
    if (replaces || !variable->value) variable->value = copy_of(value, length);
    __unpick_atomic_end();
    return 0;
}

/// unsetenv: exact
int unsetenv(const char *name) {
    size_t n = strlen(name);
    if (is_bad(name, n)) return refuse(22);
    __unpick_atomic_begin();
    find(name, n)->value = (char *)0;
    __unpick_atomic_end();
    return 0;
}

/// putenv: exact — or fails for want of memory
int putenv(char *definition) {
    size_t n = 0;
    while (definition[n] && definition[n] != '=') n++;
    if (__VERIFIER_nondet_bool()) return refuse(12);
    __unpick_atomic_begin();
    find(definition, n)->value = definition[n] ? definition + n + 1 : (char *)0;
    __unpick_atomic_end();
    return 0;
}

/// clearenv: exact
int clearenv(void) {
    __unpick_atomic_begin();
    variables = (struct variable *)0;
    is_cleared = 1;
    __unpick_atomic_end();
    return 0;
}

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

//! header: unistd.h
// System calls that programs use for input, output and waiting. Descriptors other than 1 and 2 swallow what is
// written and yield anything when read.
typedef __typeof__(sizeof 0) size_t;
typedef __typeof__((char *)0 - (char *)0) ssize_t;

int *__errno_location(void);
ssize_t __model_receive(void *bytes, size_t room);
size_t strlen(const char *s);

static int succeeds(int error) {
    if (__VERIFIER_nondet_bool()) return 1;
    *__errno_location() = error;
    return 0;
}

/// write: exact — everything is written at once
ssize_t write(int descriptor, const void *bytes, size_t n) {
    if (n == 0) return 0;
    if (descriptor == 1 || descriptor == 2) {
        __unpick_output(descriptor, bytes, n);
    } else {
        // Read as writing would, without looking at the values.
        void *copy = __unpick_alloc(n, 1, 0);
        __unpick_memcpy(copy, bytes, n);
        __unpick_free(copy);
    }
    return (ssize_t)n;
}

/// read: any value
ssize_t read(int descriptor, void *bytes, size_t n) {
    (void)descriptor;
    __unpick_note("what the program reads from files and standard input may be anything");
    return __model_receive(bytes, n);
}

/// open: any value — fails or yields any descriptor above 2
int open(const char *path, int flags, ...) {
    (void)strlen(path), (void)flags;
    __unpick_note("opening a file may succeed or fail");
    int descriptor = __VERIFIER_nondet_int();
    __VERIFIER_assume(descriptor >= -1);
    __VERIFIER_assume(descriptor < 1024);
    if (descriptor == -1) {
        *__errno_location() = 2;
        return -1;
    }
    __VERIFIER_assume(descriptor > 2);
    return descriptor;
}

/// close: any value — succeeds or fails
int close(int descriptor) {
    (void)descriptor;
    return succeeds(5) ? 0 : -1;
}

/// lseek: any value
long lseek(int descriptor, long offset, int whence) {
    (void)descriptor, (void)offset, (void)whence;
    long place = __VERIFIER_nondet_long();
    __VERIFIER_assume(place >= -1);
    return place;
}

/// unlink: any value — succeeds or fails
int unlink(const char *path) {
    (void)strlen(path);
    return succeeds(2) ? 0 : -1;
}

/// access: any value — succeeds or fails
int access(const char *path, int mode) {
    (void)strlen(path), (void)mode;
    return succeeds(2) ? 0 : -1;
}

/// isatty: any value
int isatty(int descriptor) {
    (void)descriptor;
    return __VERIFIER_nondet_bool();
}

/// getpid: any value — a positive number
int getpid(void) {
    int process = __VERIFIER_nondet_int();
    __VERIFIER_assume(process > 0);
    return process;
}

/// getppid: any value — a positive number
int getppid(void) { return getpid(); }

/// getuid: any value
unsigned getuid(void) { return __VERIFIER_nondet_uint(); }

/// geteuid: any value
unsigned geteuid(void) { return __VERIFIER_nondet_uint(); }

/// getgid: any value
unsigned getgid(void) { return __VERIFIER_nondet_uint(); }

/// sleep: exact — returns at once, never interrupted
unsigned sleep(unsigned seconds) {
    (void)seconds;
    return 0;
}

/// usleep: exact — returns at once
int usleep(unsigned microseconds) {
    (void)microseconds;
    return 0;
}

/// sysconf: any value
long sysconf(int name) {
    (void)name;
    return __VERIFIER_nondet_long();
}

/// __sysconf: any value — what PTHREAD_STACK_MIN and its kin expand to
long __sysconf(int name) { return sysconf(name); }

/// getpagesize: exact
int getpagesize(void) { return 4096; }

/// fork: unmodelled
int fork(void) {
    __unpick_unmodelled("fork");
    return -1;
}

/// pipe: unmodelled
int pipe(int descriptors[2]) {
    (void)descriptors;
    __unpick_unmodelled("pipe");
    return -1;
}

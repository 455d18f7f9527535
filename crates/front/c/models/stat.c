//! header: sys/stat.h
// What is known of files and devices: nothing.
typedef __typeof__(sizeof 0) size_t;

size_t strlen(const char *s);
int __model_fail(void);

static int any_state(void *state) {
    __unpick_note("what the system says of a file may be anything");
    if (__VERIFIER_nondet_bool()) return __model_fail();
    __unpick_memany(state, __unpick_writable(state));
    return 0;
}

/// stat: any value — fails, or says anything
int stat(const char *restrict path, void *restrict state) {
    (void)strlen(path);
    return any_state(state);
}

/// lstat: any value — as stat
int lstat(const char *restrict path, void *restrict state) {
    (void)strlen(path);
    return any_state(state);
}

/// fstat: any value — as stat
int fstat(int descriptor, void *state) {
    (void)descriptor;
    return any_state(state);
}

/// fstatat: any value — as stat
int fstatat(int descriptor, const char *restrict path, void *restrict state, int flags) {
    (void)descriptor, (void)flags, (void)strlen(path);
    return any_state(state);
}

/// ioctl: any value — what its argument points to becomes anything
int ioctl(int descriptor, unsigned long request, ...) {
    (void)descriptor, (void)request;
    __unpick_note("ioctl writes any value to what its argument points to, and returns any value");
    __builtin_va_list list;
    __builtin_va_start(list, request);
    // Without a third argument the list is empty.
    if (*(void **)&list) {
        void *place = __builtin_va_arg(list, void *);
        __unpick_memany(place, __unpick_writable(place));
    }
    __builtin_va_end(list);
    return __VERIFIER_nondet_int();
}

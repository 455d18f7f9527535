//! header: err.h
// Messages to standard error, with the program's name in front.
struct _IO_FILE;

extern struct _IO_FILE *stderr;
int fprintf(struct _IO_FILE *restrict file, const char *restrict format, ...);
int vfprintf(struct _IO_FILE *restrict file, const char *restrict format, __builtin_va_list list);
int *__errno_location(void);
char *strerror(int error);
void exit(int code);

static void say(const char *format, __builtin_va_list list, int has_error, int error) {
    fprintf(stderr, "program: ");
    if (format) vfprintf(stderr, format, list);
    if (has_error) fprintf(stderr, "%s%s", format ? ": " : "", strerror(error));
    fprintf(stderr, "\n");
}

/// warn: exact — the program is called "program"
void warn(const char *format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    say(format, list, 1, *__errno_location());
    __builtin_va_end(list);
}

/// warnx: exact — the program is called "program"
void warnx(const char *format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    say(format, list, 0, 0);
    __builtin_va_end(list);
}

/// err: exact — the program is called "program"
void err(int code, const char *format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    say(format, list, 1, *__errno_location());
    __builtin_va_end(list);
    exit(code);
}

/// errx: exact — the program is called "program"
void errx(int code, const char *format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    say(format, list, 0, 0);
    __builtin_va_end(list);
    exit(code);
}

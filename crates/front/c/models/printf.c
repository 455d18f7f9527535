//! header: stdio.h
// The printf family: each function sets up a sink for the engine in format.c. The quiet twin of a function stands for
// calls whose result is unused, where output does not matter.
typedef __typeof__(sizeof 0) size_t;

struct model_sink {
    char *buffer;
    size_t room;
    size_t total;
    int stream;
    int is_skipping;
};
struct _IO_FILE;

int __model_format(struct model_sink *sink, const char *format, __builtin_va_list list);
int __model_stream(struct _IO_FILE *file);
void *malloc(size_t size);

static int to_stream(int stream, const char *format, __builtin_va_list list) {
    struct model_sink sink = {0, 0, 0, stream, 0};
    return __model_format(&sink, format, list);
}

// Whether a conversion stores the number of bytes so far.
static int stores_count(const char *format) {
    while (*format) {
        if (*format++ != '%') continue;
        if (*format == '%') {
            format++;
            continue;
        }
        while (*format && (*format < 'a' || *format == 'h' || *format == 'l' || *format == 'j' || *format == 'z' ||
                           *format == 't') && (*format < 'A' || *format > 'Z' || *format == 'L'))
            format++;
        if (*format == 'n') return 1;
    }
    return 0;
}

static void check_only(const char *format, __builtin_va_list list) {
    struct model_sink sink = {0, 0, 0, 0, 0};
    sink.is_skipping = !stores_count(format);
    __model_format(&sink, format, list);
}

static int to_buffer(char *buffer, size_t size, const char *format, __builtin_va_list list) {
    struct model_sink sink = {buffer, size == 0 ? 0 : size - 1, 0, 0, 0};
    int n = __model_format(&sink, format, list);
    if (size != 0) buffer[sink.total < sink.room ? sink.total : sink.room] = 0;
    return n;
}

static int to_new(char **place, const char *format, __builtin_va_list list) {
    __builtin_va_list again;
    __builtin_va_copy(again, list);
    int n = to_buffer((char *)0, 0, format, list);
    char *text = n < 0 ? (char *)0 : malloc((size_t)n + 1);
    if (text) to_buffer(text, (size_t)n + 1, format, again);
    __builtin_va_end(again);
    if (!text) return -1;
    *place = text;
    return n;
}

/// vprintf: exact
int vprintf(const char *restrict format, __builtin_va_list list) { return to_stream(1, format, list); }

/// vfprintf: exact — files other than the standard streams swallow the text
int vfprintf(struct _IO_FILE *restrict file, const char *restrict format, __builtin_va_list list) {
    return to_stream(__model_stream(file), format, list);
}

/// vdprintf: exact
int vdprintf(int descriptor, const char *restrict format, __builtin_va_list list) {
    return to_stream(descriptor == 1 || descriptor == 2 ? descriptor : 0, format, list);
}

/// vsnprintf: exact
int vsnprintf(char *restrict buffer, size_t size, const char *restrict format, __builtin_va_list list) {
    return to_buffer(buffer, size, format, list);
}

/// vsprintf: exact
int vsprintf(char *restrict buffer, const char *restrict format, __builtin_va_list list) {
    return to_buffer(buffer, ~(size_t)0, format, list);
}

/// vasprintf: exact
int vasprintf(char **restrict place, const char *restrict format, __builtin_va_list list) {
    return to_new(place, format, list);
}

/// printf: exact
int printf(const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = to_stream(1, format, list);
    __builtin_va_end(list);
    return n;
}

/// fprintf: exact
int fprintf(struct _IO_FILE *restrict file, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = to_stream(__model_stream(file), format, list);
    __builtin_va_end(list);
    return n;
}

/// dprintf: exact
int dprintf(int descriptor, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vdprintf(descriptor, format, list);
    __builtin_va_end(list);
    return n;
}

/// sprintf: exact
int sprintf(char *restrict buffer, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = to_buffer(buffer, ~(size_t)0, format, list);
    __builtin_va_end(list);
    return n;
}

/// snprintf: exact
int snprintf(char *restrict buffer, size_t size, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = to_buffer(buffer, size, format, list);
    __builtin_va_end(list);
    return n;
}

/// asprintf: exact
int asprintf(char **restrict place, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = to_new(place, format, list);
    __builtin_va_end(list);
    return n;
}

/// __printf_chk: exact
int __printf_chk(int flag, const char *restrict format, ...) {
    __builtin_va_list list;
    (void)flag;
    __builtin_va_start(list, format);
    int n = to_stream(1, format, list);
    __builtin_va_end(list);
    return n;
}

/// __fprintf_chk: exact
int __fprintf_chk(struct _IO_FILE *file, int flag, const char *restrict format, ...) {
    __builtin_va_list list;
    (void)flag;
    __builtin_va_start(list, format);
    int n = to_stream(__model_stream(file), format, list);
    __builtin_va_end(list);
    return n;
}

/// __sprintf_chk: exact
int __sprintf_chk(char *buffer, int flag, size_t room, const char *format, ...) {
    __builtin_va_list list;
    (void)flag, (void)room;
    __builtin_va_start(list, format);
    int n = to_buffer(buffer, ~(size_t)0, format, list);
    __builtin_va_end(list);
    return n;
}

/// __snprintf_chk: exact
int __snprintf_chk(char *buffer, size_t size, int flag, size_t room, const char *format, ...) {
    __builtin_va_list list;
    (void)flag, (void)room;
    __builtin_va_start(list, format);
    int n = to_buffer(buffer, size, format, list);
    __builtin_va_end(list);
    return n;
}

/// __asprintf_chk: exact
int __asprintf_chk(char **restrict place, int flag, const char *restrict format, ...) {
    __builtin_va_list list;
    (void)flag;
    __builtin_va_start(list, format);
    int n = to_new(place, format, list);
    __builtin_va_end(list);
    return n;
}

/// __vprintf_chk: exact
int __vprintf_chk(int flag, const char *restrict format, __builtin_va_list list) {
    (void)flag;
    return to_stream(1, format, list);
}

/// __vfprintf_chk: exact
int __vfprintf_chk(struct _IO_FILE *restrict file, int flag, const char *restrict format, __builtin_va_list list) {
    (void)flag;
    return to_stream(__model_stream(file), format, list);
}

/// __vsprintf_chk: exact
int __vsprintf_chk(char *buffer, int flag, size_t room, const char *format, __builtin_va_list list) {
    (void)flag, (void)room;
    return to_buffer(buffer, ~(size_t)0, format, list);
}

/// __vsnprintf_chk: exact
int __vsnprintf_chk(char *buffer, size_t size, int flag, size_t room, const char *format, __builtin_va_list list) {
    (void)flag, (void)room;
    return to_buffer(buffer, size, format, list);
}

/// __vasprintf_chk: exact
int __vasprintf_chk(char **restrict place, int flag, const char *restrict format, __builtin_va_list list) {
    (void)flag;
    return to_new(place, format, list);
}

int __quiet_vprintf(const char *restrict format, __builtin_va_list list) {
    check_only(format, list);
    return 0;
}

int __quiet_vfprintf(struct _IO_FILE *restrict file, const char *restrict format, __builtin_va_list list) {
    (void)__model_stream(file);
    check_only(format, list);
    return 0;
}

int __quiet_printf(const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    check_only(format, list);
    __builtin_va_end(list);
    return 0;
}

int __quiet_fprintf(struct _IO_FILE *restrict file, const char *restrict format, ...) {
    __builtin_va_list list;
    (void)__model_stream(file);
    __builtin_va_start(list, format);
    check_only(format, list);
    __builtin_va_end(list);
    return 0;
}

int __quiet_dprintf(int descriptor, const char *restrict format, ...) {
    __builtin_va_list list;
    (void)descriptor;
    __builtin_va_start(list, format);
    check_only(format, list);
    __builtin_va_end(list);
    return 0;
}

int __quiet___printf_chk(int flag, const char *restrict format, ...) {
    __builtin_va_list list;
    (void)flag;
    __builtin_va_start(list, format);
    check_only(format, list);
    __builtin_va_end(list);
    return 0;
}

int __quiet___fprintf_chk(struct _IO_FILE *file, int flag, const char *restrict format, ...) {
    __builtin_va_list list;
    (void)flag, (void)__model_stream(file);
    __builtin_va_start(list, format);
    check_only(format, list);
    __builtin_va_end(list);
    return 0;
}

//! header: string.h
// Twins of functions that write a string, for destinations that are an array inside a larger object: `room` is the
// declared length of that array, and writing beyond it is a violation even though the bytes belong to the object.
typedef __typeof__(sizeof 0) size_t;
typedef struct _IO_FILE FILE;

size_t strlen(const char *text);
size_t strnlen(const char *text, size_t limit);
char *strcpy(char *restrict to, const char *restrict from);
char *stpcpy(char *restrict to, const char *restrict from);
char *strncpy(char *restrict to, const char *restrict from, size_t n);
char *strcat(char *restrict to, const char *restrict from);
char *strncat(char *restrict to, const char *restrict from, size_t n);
int vsnprintf(char *restrict buffer, size_t size, const char *restrict format, __builtin_va_list list);
int vsprintf(char *restrict buffer, const char *restrict format, __builtin_va_list list);
char *fgets(char *buffer, int size, FILE *stream);

static void check(size_t bytes, size_t room) {
    if (bytes > room) __unpick_fail("out-of-bounds", "the string does not fit the array it is written to");
}

char *__within_strcpy(char *restrict to, size_t room, const char *restrict from) {
    check(strlen(from) + 1, room);
    return strcpy(to, from);
}

char *__within_stpcpy(char *restrict to, size_t room, const char *restrict from) {
    check(strlen(from) + 1, room);
    return stpcpy(to, from);
}

char *__within_strncpy(char *restrict to, size_t room, const char *restrict from, size_t n) {
    check(n, room);
    return strncpy(to, from, n);
}

char *__within_strcat(char *restrict to, size_t room, const char *restrict from) {
    check(strnlen(to, room) + strlen(from) + 1, room);
    return strcat(to, from);
}

char *__within_strncat(char *restrict to, size_t room, const char *restrict from, size_t n) {
    check(strnlen(to, room) + strnlen(from, n) + 1, room);
    return strncat(to, from, n);
}

int __within_vsprintf(char *restrict to, size_t room, const char *restrict format, __builtin_va_list list) {
    __builtin_va_list again;
    __builtin_va_copy(again, list);
    int length = vsnprintf((char *)0, 0, format, again);
    __builtin_va_end(again);
    if (length >= 0) check((size_t)length + 1, room);
    return vsprintf(to, format, list);
}

int __within_sprintf(char *restrict to, size_t room, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int length = __within_vsprintf(to, room, format, list);
    __builtin_va_end(list);
    return length;
}

int __within_vsnprintf(char *restrict to, size_t room, size_t size, const char *restrict format,
                       __builtin_va_list list) {
    if (size > room) {
        __builtin_va_list again;
        __builtin_va_copy(again, list);
        int length = vsnprintf((char *)0, 0, format, again);
        __builtin_va_end(again);
        if (length >= 0) check((size_t)length + 1 < size ? (size_t)length + 1 : size, room);
    }
    return vsnprintf(to, size, format, list);
}

int __within_snprintf(char *restrict to, size_t room, size_t size, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int length = __within_vsnprintf(to, room, size, format, list);
    __builtin_va_end(list);
    return length;
}

char *__within_fgets(char *restrict to, size_t room, int size, FILE *restrict stream) {
    if (size > 0) check((size_t)size, room);
    return fgets(to, size, stream);
}

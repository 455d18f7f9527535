//! header: string.h
// Copying, comparing and measuring. Bytes are read one by one where their value decides, so that a bad or
// indeterminate byte is found where it is used; copies are one instruction, which also finds overlaps.
typedef __typeof__(sizeof 0) size_t;

void *malloc(size_t size);

static int lower(int c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

/// memcpy: exact — overlapping objects are a violation
void *memcpy(void *restrict to, const void *restrict from, size_t n) {
    if (n != 0) __unpick_memcpy(to, from, n);
    return to;
}

/// mempcpy: exact
void *mempcpy(void *restrict to, const void *restrict from, size_t n) {
    if (n != 0) __unpick_memcpy(to, from, n);
    return (char *)to + n;
}

/// __mempcpy: exact
void *__mempcpy(void *restrict to, const void *restrict from, size_t n) {
    if (n != 0) __unpick_memcpy(to, from, n);
    return (char *)to + n;
}

/// __memcpy_chk: exact
void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room) {
    if (n > room) __unpick_fail("out-of-bounds", "memcpy writes beyond the destination");
    if (n != 0) __unpick_memcpy(to, from, n);
    return to;
}

/// memmove: exact
void *memmove(void *to, const void *from, size_t n) {
    if (n != 0) __unpick_memmove(to, from, n);
    return to;
}

/// __memmove_chk: exact
void *__memmove_chk(void *to, const void *from, size_t n, size_t room) {
    if (n > room) __unpick_fail("out-of-bounds", "memmove writes beyond the destination");
    if (n != 0) __unpick_memmove(to, from, n);
    return to;
}

/// bcopy: exact
void bcopy(const void *from, void *to, size_t n) {
    if (n != 0) __unpick_memmove(to, from, n);
}

/// memset: exact
void *memset(void *to, int c, size_t n) {
    if (n != 0) __unpick_memset(to, c, n);
    return to;
}

/// __memset_chk: exact
void *__memset_chk(void *to, int c, size_t n, size_t room) {
    if (n > room) __unpick_fail("out-of-bounds", "memset writes beyond the destination");
    if (n != 0) __unpick_memset(to, c, n);
    return to;
}

/// bzero: exact
void bzero(void *to, size_t n) {
    if (n != 0) __unpick_memset(to, 0, n);
}

/// explicit_bzero: exact
void explicit_bzero(void *to, size_t n) {
    if (n != 0) __unpick_memset(to, 0, n);
}

/// memccpy: exact
void *memccpy(void *restrict to, const void *restrict from, int c, size_t n) {
    const unsigned char *source = from;
    unsigned char *target = to;
    for (size_t i = 0; i < n; i++) {
        target[i] = source[i];
        if (source[i] == (unsigned char)c) return target + i + 1;
    }
    return (void *)0;
}

/// memcmp: exact — the sign alone is specified; we return the difference of the first bytes that differ
int memcmp(const void *a, const void *b, size_t n) {
    const unsigned char *p = a, *q = b;
    for (size_t i = 0; i < n; i++)
        if (p[i] != q[i]) return p[i] - q[i];
    return 0;
}

/// bcmp: exact
int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }

/// strlen: exact
size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

/// strnlen: exact
size_t strnlen(const char *s, size_t max) {
    size_t n = 0;
    while (n < max && s[n]) n++;
    return n;
}

/// strcpy: exact
char *strcpy(char *restrict to, const char *restrict from) {
    __unpick_memcpy(to, from, strlen(from) + 1);
    return to;
}

/// __strcpy_chk: exact
char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room) {
    size_t n = strlen(from) + 1;
    if (n > room) __unpick_fail("out-of-bounds", "strcpy writes beyond the destination");
    __unpick_memcpy(to, from, n);
    return to;
}

/// stpcpy: exact
char *stpcpy(char *restrict to, const char *restrict from) {
    size_t n = strlen(from);
    __unpick_memcpy(to, from, n + 1);
    return to + n;
}

/// strncpy: exact
char *strncpy(char *restrict to, const char *restrict from, size_t n) {
    size_t length = strnlen(from, n);
    if (length != 0) __unpick_memcpy(to, from, length);
    if (length < n) __unpick_memset(to + length, 0, n - length);
    return to;
}

/// __strncpy_chk: exact
char *__strncpy_chk(char *restrict to, const char *restrict from, size_t n, size_t room) {
    if (n > room) __unpick_fail("out-of-bounds", "strncpy writes beyond the destination");
    return strncpy(to, from, n);
}

/// stpncpy: exact
char *stpncpy(char *restrict to, const char *restrict from, size_t n) {
    size_t length = strnlen(from, n);
    strncpy(to, from, n);
    return to + length;
}

/// strlcpy: exact
size_t strlcpy(char *restrict to, const char *restrict from, size_t room) {
    size_t length = strlen(from);
    if (room != 0) {
        size_t n = length < room ? length : room - 1;
        if (n != 0) __unpick_memcpy(to, from, n);
        to[n] = 0;
    }
    return length;
}

/// strcat: exact
char *strcat(char *restrict to, const char *restrict from) {
    size_t length = strlen(to);
    __unpick_memcpy(to + length, from, strlen(from) + 1);
    return to;
}

/// __strcat_chk: exact
char *__strcat_chk(char *restrict to, const char *restrict from, size_t room) {
    if (strlen(to) + strlen(from) + 1 > room) __unpick_fail("out-of-bounds", "strcat writes beyond the destination");
    return strcat(to, from);
}

/// strncat: exact
char *strncat(char *restrict to, const char *restrict from, size_t n) {
    size_t length = strlen(to);
    size_t added = strnlen(from, n);
    if (added != 0) __unpick_memcpy(to + length, from, added);
    to[length + added] = 0;
    return to;
}

/// __strncat_chk: exact
char *__strncat_chk(char *restrict to, const char *restrict from, size_t n, size_t room) {
    if (strlen(to) + strnlen(from, n) + 1 > room)
        __unpick_fail("out-of-bounds", "strncat writes beyond the destination");
    return strncat(to, from, n);
}

/// strlcat: exact
size_t strlcat(char *restrict to, const char *restrict from, size_t room) {
    size_t length = strnlen(to, room);
    if (length == room) return room + strlen(from);
    return length + strlcpy(to + length, from, room - length);
}

/// strcmp: exact — the sign alone is specified; we return the difference of the first bytes that differ
int strcmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    return (unsigned char)a[i] - (unsigned char)b[i];
}

/// strncmp: exact
int strncmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return (unsigned char)a[i] - (unsigned char)b[i];
        if (!a[i]) return 0;
    }
    return 0;
}

/// strcoll: exact — in the C locale
int strcoll(const char *a, const char *b) { return strcmp(a, b); }

/// strxfrm: exact — in the C locale
size_t strxfrm(char *restrict to, const char *restrict from, size_t n) { return strlcpy(to, from, n); }

/// strcasecmp: exact — in the C locale
int strcasecmp(const char *a, const char *b) {
    size_t i = 0;
    while (a[i] && lower((unsigned char)a[i]) == lower((unsigned char)b[i])) i++;
    return lower((unsigned char)a[i]) - lower((unsigned char)b[i]);
}

/// strncasecmp: exact — in the C locale
int strncasecmp(const char *a, const char *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int difference = lower((unsigned char)a[i]) - lower((unsigned char)b[i]);
        if (difference != 0 || !a[i]) return difference;
    }
    return 0;
}

/// strdup: exact
char *strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    if (copy) __unpick_memcpy(copy, s, n);
    return copy;
}

/// __strdup: exact
char *__strdup(const char *s) { return strdup(s); }

/// strndup: exact
char *strndup(const char *s, size_t n) {
    size_t length = strnlen(s, n);
    char *copy = malloc(length + 1);
    if (!copy) return copy;
    if (length != 0) __unpick_memcpy(copy, s, length);
    copy[length] = 0;
    return copy;
}

/// swab: exact
void swab(const void *restrict from, void *restrict to, long n) {
    const unsigned char *source = from;
    unsigned char *target = to;
    for (long i = 0; i + 1 < n; i += 2) {
        unsigned char first = source[i];
        target[i] = source[i + 1];
        target[i + 1] = first;
    }
}

/// ffs: exact
int ffs(int i) { return __builtin_ffs(i); }

/// ffsl: exact
int ffsl(long i) { return __builtin_ffsl(i); }

/// ffsll: exact
int ffsll(long long i) { return __builtin_ffsll(i); }

//! header: wchar.h
// Wide strings: `wchar_t` is `int`, and in the C locale a wide character is an ASCII one.
typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
void *malloc(size_t size);

/// wcslen: exact
size_t wcslen(const int *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}

/// wcsnlen: exact
size_t wcsnlen(const int *s, size_t max) {
    size_t n = 0;
    while (n < max && s[n]) n++;
    return n;
}

/// wmemcpy: exact
int *wmemcpy(int *restrict to, const int *restrict from, size_t n) {
    if (n != 0) __unpick_memcpy(to, from, n * sizeof(int));
    return to;
}

/// wmemmove: exact
int *wmemmove(int *to, const int *from, size_t n) {
    if (n != 0) __unpick_memmove(to, from, n * sizeof(int));
    return to;
}

/// wmemset: exact
int *wmemset(int *to, int c, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = c;
    return to;
}

/// wmemcmp: exact
int wmemcmp(const int *a, const int *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

/// wmemchr: exact
int *wmemchr(const int *s, int c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (s[i] == c) return (int *)(s + i);
    return (int *)0;
}

/// wcscpy: exact
int *wcscpy(int *restrict to, const int *restrict from) {
    __unpick_memcpy(to, from, (wcslen(from) + 1) * sizeof(int));
    return to;
}

/// wcsncpy: exact
int *wcsncpy(int *restrict to, const int *restrict from, size_t n) {
    size_t length = wcsnlen(from, n);
    if (length != 0) __unpick_memcpy(to, from, length * sizeof(int));
    if (length < n) __unpick_memset(to + length, 0, (n - length) * sizeof(int));
    return to;
}

/// wcscat: exact
int *wcscat(int *restrict to, const int *restrict from) {
    wcscpy(to + wcslen(to), from);
    return to;
}

/// wcsncat: exact
int *wcsncat(int *restrict to, const int *restrict from, size_t n) {
    size_t length = wcslen(to), added = wcsnlen(from, n);
    if (added != 0) __unpick_memcpy(to + length, from, added * sizeof(int));
    to[length + added] = 0;
    return to;
}

/// wcscmp: exact
int wcscmp(const int *a, const int *b) {
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    return a[i] == b[i] ? 0 : a[i] < b[i] ? -1 : 1;
}

/// wcsncmp: exact
int wcsncmp(const int *a, const int *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
        if (!a[i]) return 0;
    }
    return 0;
}

/// wcschr: exact
int *wcschr(const int *s, int c) {
    while (*s != c)
        if (*s++ == 0) return (int *)0;
    return (int *)s;
}

/// wcsrchr: exact
int *wcsrchr(const int *s, int c) {
    const int *found = (const int *)0;
    do
        if (*s == c) found = s;
    while (*s++);
    return (int *)found;
}

/// wcsstr: exact
int *wcsstr(const int *hay, const int *needle) {
    size_t length = wcslen(needle);
    if (length == 0) return (int *)hay;
    for (; *hay; hay++)
        if (wcsncmp(hay, needle, length) == 0) return (int *)hay;
    return (int *)0;
}

/// wcsdup: exact
int *wcsdup(const int *s) {
    size_t bytes = (wcslen(s) + 1) * sizeof(int);
    int *copy = malloc(bytes);
    if (copy) __unpick_memcpy(copy, s, bytes);
    return copy;
}

/// btowc: exact — in the C locale
unsigned btowc(int c) { return c >= 0 && c < 128 ? (unsigned)c : ~0u; }

/// wctob: exact — in the C locale
int wctob(unsigned c) { return c < 128 ? (int)c : -1; }

/// mbtowc: exact — in the C locale
int mbtowc(int *restrict to, const char *restrict s, size_t n) {
    if (!s) return 0;
    if (n == 0) return -1;
    if ((unsigned char)*s > 127) {
        *__errno_location() = 84;
        return -1;
    }
    if (to) *to = *s;
    return *s != 0;
}

/// wctomb: exact — in the C locale
int wctomb(char *s, int c) {
    if (!s) return 0;
    if (c < 0 || c > 127) {
        *__errno_location() = 84;
        return -1;
    }
    *s = (char)c;
    return 1;
}

/// mblen: exact — in the C locale
int mblen(const char *s, size_t n) { return mbtowc((int *)0, s, n); }

/// mbstowcs: exact — in the C locale
size_t mbstowcs(int *restrict to, const char *restrict s, size_t n) {
    for (size_t i = 0; !to || i < n; i++) {
        if ((unsigned char)s[i] > 127) {
            *__errno_location() = 84;
            return ~(size_t)0;
        }
        if (to) to[i] = s[i];
        if (!s[i]) return i;
    }
    return n;
}

/// wcstombs: exact — in the C locale
size_t wcstombs(char *restrict to, const int *restrict s, size_t n) {
    for (size_t i = 0; !to || i < n; i++) {
        if (s[i] < 0 || s[i] > 127) {
            *__errno_location() = 84;
            return ~(size_t)0;
        }
        if (to) to[i] = (char)s[i];
        if (!s[i]) return i;
    }
    return n;
}

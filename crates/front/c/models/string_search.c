//! header: string.h
// Searching and splitting: plain scans from left to right, so that no byte behind the answer is read.
typedef __typeof__(sizeof 0) size_t;

size_t strlen(const char *s);
int memcmp(const void *a, const void *b, size_t n);
int strncmp(const char *a, const char *b, size_t n);
int strncasecmp(const char *a, const char *b, size_t n);

/// memchr: exact
void *memchr(const void *s, int c, size_t n) {
    const unsigned char *p = s;
    for (size_t i = 0; i < n; i++)
        if (p[i] == (unsigned char)c) return (void *)(p + i);
    return (void *)0;
}

/// rawmemchr: exact
void *rawmemchr(const void *s, int c) {
    const unsigned char *p = s;
    while (*p != (unsigned char)c) p++;
    return (void *)p;
}

/// memrchr: exact
void *memrchr(const void *s, int c, size_t n) {
    const unsigned char *p = s;
    while (n-- > 0)
        if (p[n] == (unsigned char)c) return (void *)(p + n);
    return (void *)0;
}

/// memmem: exact
void *memmem(const void *hay, size_t hay_length, const void *needle, size_t length) {
    const char *p = hay;
    if (length > hay_length) return (void *)0;
    for (size_t i = 0; i <= hay_length - length; i++)
        if (memcmp(p + i, needle, length) == 0) return (void *)(p + i);
    return (void *)0;
}

/// strchr: exact
char *strchr(const char *s, int c) {
    while (*s != (char)c)
        if (*s++ == 0) return (char *)0;
    return (char *)s;
}

/// index: exact
char *index(const char *s, int c) { return strchr(s, c); }

/// strchrnul: exact
char *strchrnul(const char *s, int c) {
    while (*s && *s != (char)c) s++;
    return (char *)s;
}

/// strrchr: exact
char *strrchr(const char *s, int c) {
    const char *found = (const char *)0;
    do
        if (*s == (char)c) found = s;
    while (*s++);
    return (char *)found;
}

/// rindex: exact
char *rindex(const char *s, int c) { return strrchr(s, c); }

/// strstr: exact
char *strstr(const char *hay, const char *needle) {
    size_t length = strlen(needle);
    if (length == 0) return (char *)hay;
    for (; *hay; hay++)
        if (strncmp(hay, needle, length) == 0) return (char *)hay;
    return (char *)0;
}

/// strcasestr: exact — in the C locale
char *strcasestr(const char *hay, const char *needle) {
    size_t length = strlen(needle);
    if (length == 0) return (char *)hay;
    for (; *hay; hay++)
        if (strncasecmp(hay, needle, length) == 0) return (char *)hay;
    return (char *)0;
}

/// strspn: exact
size_t strspn(const char *s, const char *accepted) {
    size_t n = 0;
    while (s[n] && strchr(accepted, s[n])) n++;
    return n;
}

/// strcspn: exact
size_t strcspn(const char *s, const char *rejected) {
    size_t n = 0;
    while (s[n] && !strchr(rejected, s[n])) n++;
    return n;
}

/// strpbrk: exact
char *strpbrk(const char *s, const char *wanted) {
    s += strcspn(s, wanted);
    return *s ? (char *)s : (char *)0;
}

/// strtok_r: exact
char *strtok_r(char *restrict s, const char *restrict separators, char **restrict rest) {
    if (!s) s = *rest;
    s += strspn(s, separators);
    if (!*s) {
        *rest = s;
        return (char *)0;
    }
    char *end = s + strcspn(s, separators);
    if (*end) *end++ = 0;
    *rest = end;
    return s;
}

/// __strtok_r: exact
char *__strtok_r(char *restrict s, const char *restrict separators, char **restrict rest) {
    return strtok_r(s, separators, rest);
}

/// strtok: exact
char *strtok(char *restrict s, const char *restrict separators) {
    static char *shared_rest;
    return strtok_r(s, separators, &shared_rest);
}

/// strsep: exact
char *strsep(char **restrict rest, const char *restrict separators) {
    char *token = *rest;
    if (!token) return token;
    char *end = token + strcspn(token, separators);
    if (*end) {
        *end = 0;
        *rest = end + 1;
    } else {
        *rest = (char *)0;
    }
    return token;
}

/// basename: exact — the GNU one of string.h
char *basename(const char *path) {
    char *slash = strrchr(path, '/');
    return slash ? slash + 1 : (char *)path;
}

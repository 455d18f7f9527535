// string.h, ctype.h and wchar.h against the C library on random short strings over a small alphabet.
#define _GNU_SOURCE
#include "driver.h"

MODEL(strlen);
MODEL(strnlen);
MODEL(strcpy);
MODEL(strncpy);
MODEL(stpcpy);
MODEL(strcat);
MODEL(strncat);
MODEL(strcmp);
MODEL(strncmp);
MODEL(strcasecmp);
MODEL(strncasecmp);
MODEL(memcmp);
MODEL(memccpy);
MODEL(memrchr);
MODEL(memmem);
MODEL(strcasestr);
MODEL(strspn);
MODEL(strcspn);
MODEL(strtok);
MODEL(strtok_r);
MODEL(strsep);
MODEL(strdup);
MODEL(strndup);
MODEL(mempcpy);
void *model_memchr(const void *, int, size_t);
char *model_strchr(const char *, int);
char *model_strrchr(const char *, int);
char *model_strchrnul(const char *, int);
char *model_strstr(const char *, const char *);
char *model_strpbrk(const char *, const char *);
char *model_strerror(int);
MODEL(wcslen);
MODEL(wcscmp);
MODEL(wcscpy);
MODEL(__ctype_b_loc);
MODEL(__ctype_tolower_loc);
MODEL(__ctype_toupper_loc);

static char a[64], b[64];

static void make(char *out) {
    size_t n = random_bits() % 20;
    for (size_t i = 0; i < n; i++) out[i] = "abABcC,. \377"[random_bits() % 10];
    out[n] = 0;
    for (size_t i = n + 1; i < 40; i++) out[i] = "abAB"[random_bits() % 4];
}

static int sign(int n) { return (n > 0) - (n < 0); }

#define SAME(what, ours, theirs)                                                       \
    if ((ours) != (theirs)) fail("%s on \"%s\" and \"%s\"", what, a, b)

static void searches(size_t n, int c) {
    SAME("strlen", model_strlen(a), strlen(a));
    SAME("strnlen", model_strnlen(a, n), strnlen(a, n));
    SAME("strcmp", sign(model_strcmp(a, b)), sign(strcmp(a, b)));
    SAME("strncmp", sign(model_strncmp(a, b, n)), sign(strncmp(a, b, n)));
    SAME("strcasecmp", sign(model_strcasecmp(a, b)), sign(strcasecmp(a, b)));
    SAME("strncasecmp", sign(model_strncasecmp(a, b, n)), sign(strncasecmp(a, b, n)));
    SAME("memcmp", sign(model_memcmp(a, b, n)), sign(memcmp(a, b, n)));
    SAME("memchr", model_memchr(a, c, n), memchr(a, c, n));
    SAME("memrchr", model_memrchr(a, c, n), memrchr(a, c, n));
    SAME("strchr", model_strchr(a, c), strchr(a, c));
    SAME("strchr", model_strchr(a, 0), strchr(a, 0));
    SAME("strrchr", model_strrchr(a, c), strrchr(a, c));
    SAME("strrchr", model_strrchr(a, 0), strrchr(a, 0));
    SAME("strchrnul", model_strchrnul(a, c), strchrnul(a, c));
    SAME("strspn", model_strspn(a, b), strspn(a, b));
    SAME("strcspn", model_strcspn(a, b), strcspn(a, b));
    SAME("strpbrk", model_strpbrk(a, b), strpbrk(a, b));
    char needle[4] = {b[0], b[0] ? b[1] : 0, 0, 0};
    SAME("strstr", model_strstr(a, needle), strstr(a, needle));
    SAME("strcasestr", model_strcasestr(a, needle), strcasestr(a, needle));
    SAME("memmem", model_memmem(a, n, needle, strlen(needle)), memmem(a, n, needle, strlen(needle)));
}

static void copies(size_t n, int c) {
    char ours[128], theirs[128];
#define BOTH(what, on_ours, on_theirs)                                                     \
    do {                                                                                   \
        memset(ours, 3, sizeof ours), memset(theirs, 3, sizeof theirs);                    \
        strcpy(ours, b), strcpy(theirs, b);                                                \
        ptrdiff_t at_ours = (char *)(on_ours) - ours, at_theirs = (char *)(on_theirs) - theirs; \
        int is_null = what[0] == '?';                                                      \
        if ((!is_null && at_ours != at_theirs) || memcmp(ours, theirs, sizeof ours) != 0)  \
            fail("%s on \"%s\" and \"%s\"", what, a, b);                                   \
    } while (0)
    BOTH("strcpy", model_strcpy(ours, a), strcpy(theirs, a));
    BOTH("stpcpy", model_stpcpy(ours, a), stpcpy(theirs, a));
    BOTH("strncpy", model_strncpy(ours, a, n), strncpy(theirs, a, n));
    BOTH("strcat", model_strcat(ours, a), strcat(theirs, a));
    BOTH("strncat", model_strncat(ours, a, n), strncat(theirs, a, n));
    BOTH("mempcpy", model_mempcpy(ours, a, n), mempcpy(theirs, a, n));
    BOTH("?memccpy", model_memccpy(ours, a, c, n), memccpy(theirs, a, c, n));
    char *copy = model_strdup(a), *part = model_strndup(a, n);
    if (strcmp(copy, a) != 0 || strncmp(part, a, n) != 0 || strlen(part) != strnlen(a, n)) fail("strdup of \"%s\"", a);
    free(copy), free(part);
}

static void tokens(void) {
    char ours[64], theirs[64], *rest_ours, *rest_theirs;
    strcpy(ours, a), strcpy(theirs, a);
    char *p = model_strtok(ours, ",. "), *q = strtok(theirs, ",. ");
    for (; p && q; p = model_strtok(NULL, ",. "), q = strtok(NULL, ",. "))
        if (strcmp(p, q) != 0 || p - ours != q - theirs) fail("strtok of \"%s\"", a);
    if (p || q) fail("strtok of \"%s\" ends elsewhere", a);
    strcpy(ours, a), strcpy(theirs, a);
    rest_ours = ours, rest_theirs = theirs;
    do {
        p = model_strsep(&rest_ours, ",a"), q = strsep(&rest_theirs, ",a");
        if (!p != !q || (p && strcmp(p, q) != 0)) fail("strsep of \"%s\"", a);
    } while (p && q);
}

static void characters(void) {
#define CLASS(name)                        \
    extern int model_##name(int);          \
    for (int c = -128; c < 256; c++)       \
        if (model_##name(c) != (name)(c)) fail(#name "(%d): %d instead of %d", c, model_##name(c), (name)(c))
    CLASS(isalpha); CLASS(isdigit); CLASS(isalnum); CLASS(isupper); CLASS(islower); CLASS(isspace); CLASS(isxdigit);
    CLASS(ispunct); CLASS(isprint); CLASS(isgraph); CLASS(iscntrl); CLASS(isblank);
    extern int model_tolower(int), model_toupper(int);
    for (int c = -1; c < 256; c++)
        if (model_tolower(c) != (tolower)(c) || model_toupper(c) != (toupper)(c)) fail("case of %d", c);
    for (int c = -128; c < 256; c++) {
        if ((*model___ctype_b_loc())[c] != (*__ctype_b_loc())[c]) fail("class table at %d", c);
        if ((*model___ctype_tolower_loc())[c] != (*__ctype_tolower_loc())[c]) fail("lower table at %d", c);
        if ((*model___ctype_toupper_loc())[c] != (*__ctype_toupper_loc())[c]) fail("upper table at %d", c);
    }
    for (int i = -3; i < 140; i++)
        if (strcmp(model_strerror(i), strerror(i)) != 0) fail("strerror(%d): %s", i, model_strerror(i));
}

void test_strings(void) {
    for (int i = 0; i < 40000; i++) {
        make(a), make(b);
        size_t n = random_bits() % 24;
        int c = "abAB,\377"[random_bits() % 6];
        searches(n, c);
        copies(n, c);
        tokens();
    }
    characters();
    wchar_t wide[16];
    if (model_wcslen(L"wide") != 4 || model_wcscmp(L"a", L"b") >= 0 || wcscmp(model_wcscpy(wide, L"copy"), L"copy") != 0)
        fail("wide strings");
}

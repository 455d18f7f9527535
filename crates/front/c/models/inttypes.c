//! header: inttypes.h
// The widest integers. `long long` has the size of `intmax_t` on every target.
typedef long long intmax_t;
typedef unsigned long long uintmax_t;

typedef struct {
    intmax_t quot, rem;
} imaxdiv_t;

long long strtoll(const char *restrict s, char **restrict end, int base);
unsigned long long strtoull(const char *restrict s, char **restrict end, int base);

/// imaxabs: exact
intmax_t imaxabs(intmax_t n) { return n < 0 ? -n : n; }

/// imaxdiv: exact
imaxdiv_t imaxdiv(intmax_t n, intmax_t by) {
    imaxdiv_t result = {n / by, n % by};
    return result;
}

/// strtoimax: exact
intmax_t strtoimax(const char *restrict s, char **restrict end, int base) { return strtoll(s, end, base); }

/// strtoumax: exact
uintmax_t strtoumax(const char *restrict s, char **restrict end, int base) { return strtoull(s, end, base); }

/// __isoc23_strtoimax: exact
intmax_t __isoc23_strtoimax(const char *restrict s, char **restrict end, int base) { return strtoll(s, end, base); }

/// __isoc23_strtoumax: exact
uintmax_t __isoc23_strtoumax(const char *restrict s, char **restrict end, int base) { return strtoull(s, end, base); }

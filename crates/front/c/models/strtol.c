//! header: stdlib.h
// Text to integers. One scan yields the magnitude and sign; each function then clips it to its own type.
typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);

static int is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }

static int digit_of(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

struct scanned {
    unsigned long long magnitude;
    int is_negative, is_too_large;
};

static struct scanned scan(const char *text, char **end, int base) {
    struct scanned result = {0, 0, 0};
    const char *p = text;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = 22;
        return result;
    }
    while (is_space(*p)) p++;
    if (*p == '-' || *p == '+') result.is_negative = *p++ == '-';
    if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit_of(p[2]) < 16) {
        p += 2;
        base = 16;
    }
    if (base == 0) base = *p == '0' ? 8 : 10;
    const char *first = p;
    unsigned long long most = ~0ULL / base;
    for (int digit; (digit = digit_of(*p)) < base; p++) {
        unsigned long long shifted = result.magnitude * base;
        if (result.magnitude > most || shifted + digit < shifted) result.is_too_large = 1;
        result.magnitude = shifted + digit;
    }
    if (end) *end = (char *)(p == first ? text : p);
    return result;
}

static long long clip_signed(struct scanned value, unsigned long long most) {
    unsigned long long limit = value.is_negative ? most + 1 : most;
    if (value.is_too_large || value.magnitude > limit) {
        *__errno_location() = 34;
        return value.is_negative ? -(long long)most - 1 : (long long)most;
    }
    if (!value.is_negative) return (long long)value.magnitude;
    return value.magnitude == 0 ? 0 : -(long long)(value.magnitude - 1) - 1;
}

static unsigned long long clip_unsigned(struct scanned value, unsigned long long most) {
    if (value.is_too_large || value.magnitude > most) {
        *__errno_location() = 34;
        return most;
    }
    return value.is_negative ? -value.magnitude : value.magnitude;
}

static const unsigned long long most_long = ~0UL >> 1;
static const unsigned long long most_long_long = ~0ULL >> 1;

/// strtol: exact
long strtol(const char *restrict s, char **restrict end, int base) {
    return (long)clip_signed(scan(s, end, base), most_long);
}

/// strtoll: exact
long long strtoll(const char *restrict s, char **restrict end, int base) {
    return clip_signed(scan(s, end, base), most_long_long);
}

/// strtoul: exact
unsigned long strtoul(const char *restrict s, char **restrict end, int base) {
    return (unsigned long)clip_unsigned(scan(s, end, base), ~0UL);
}

/// strtoull: exact
unsigned long long strtoull(const char *restrict s, char **restrict end, int base) {
    return clip_unsigned(scan(s, end, base), ~0ULL);
}

/// strtoq: exact
long long strtoq(const char *restrict s, char **restrict end, int base) { return strtoll(s, end, base); }

/// strtouq: exact
unsigned long long strtouq(const char *restrict s, char **restrict end, int base) { return strtoull(s, end, base); }

/// __isoc23_strtol: exact — binary prefixes are not read
long __isoc23_strtol(const char *restrict s, char **restrict end, int base) { return strtol(s, end, base); }

/// __isoc23_strtoll: exact — binary prefixes are not read
long long __isoc23_strtoll(const char *restrict s, char **restrict end, int base) { return strtoll(s, end, base); }

/// __isoc23_strtoul: exact — binary prefixes are not read
unsigned long __isoc23_strtoul(const char *restrict s, char **restrict end, int base) { return strtoul(s, end, base); }

/// __isoc23_strtoull: exact — binary prefixes are not read
unsigned long long __isoc23_strtoull(const char *restrict s, char **restrict end, int base) {
    return strtoull(s, end, base);
}

/// atoi: exact — a value that does not fit is undefined; we truncate as glibc does
int atoi(const char *s) { return (int)strtol(s, (char **)0, 10); }

/// atol: exact
long atol(const char *s) { return strtol(s, (char **)0, 10); }

/// atoll: exact
long long atoll(const char *s) { return strtoll(s, (char **)0, 10); }

//! header: stdio.h
// Formatted input from a string, which is really parsed.
typedef __typeof__(sizeof 0) size_t;
typedef __typeof__((char *)0 - (char *)0) ssize_t;

long strtol(const char *restrict s, char **restrict end, int base);
unsigned long strtoul(const char *restrict s, char **restrict end, int base);
long long strtoll(const char *restrict s, char **restrict end, int base);
unsigned long long strtoull(const char *restrict s, char **restrict end, int base);
float strtof(const char *restrict s, char **restrict end);
double strtod(const char *restrict s, char **restrict end);
long double strtold(const char *restrict s, char **restrict end);

struct arguments {
    __builtin_va_list list;
};

struct directive {
    int is_suppressed, width, length, conversion;  // width 0: none; length as in format.c
};

// One conversion: stored, does not match, or the input is at its end.
enum outcome { stored, mismatch, at_end };

static int is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }

static int digit_of(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

static const char *read_directive(const char *p, struct directive *directive) {
    struct directive empty = {0, 0, 0, 0};
    *directive = empty;
    if (*p == '*') {
        directive->is_suppressed = 1;
        p++;
    }
    while (*p >= '0' && *p <= '9') directive->width = directive->width * 10 + (*p++ - '0');
    if (*p == '$') __unpick_unmodelled("scanf with numbered arguments");
    if (*p == 'm') __unpick_unmodelled("scanf that allocates");
    if (*p == 'h' || *p == 'l' || *p == 'j' || *p == 'z' || *p == 't' || *p == 'L' || *p == 'q') {
        directive->length = *p++;
        if (directive->length == 'h' && *p == 'h') p++, directive->length = 'H';
        if (directive->length == 'l' && *p == 'l') p++, directive->length = 'q';
    }
    directive->conversion = *p;
    return *p ? p + 1 : p;
}

static void store_integer(void *place, int length, unsigned long long value) {
    switch (length) {
    case 'H': *(unsigned char *)place = (unsigned char)value; break;
    case 'h': *(unsigned short *)place = (unsigned short)value; break;
    case 'l': *(unsigned long *)place = (unsigned long)value; break;
    case 'q':
    case 'L':
    case 'j': *(unsigned long long *)place = value; break;
    case 'z':
    case 't': *(size_t *)place = (size_t)value; break;
    default: *(unsigned *)place = (unsigned)value;
    }
}

// A number cut out of the input, at most `width` bytes long.
struct token {
    char text[1100];
    int n, width;
};

static void take(struct token *token, const char **input) {
    if (token->n == sizeof token->text - 1) {
        __unpick_unmodelled("sscanf of a number longer than 1000 bytes");
        return;
    }
    token->text[token->n++] = *(*input)++;
}

static int fits(const struct token *token) { return token->width == 0 || token->n < token->width; }

static enum outcome scan_integer(const char **input, const struct directive *directive, int base, int is_signed,
                                 void *place) {
    struct token token;
    token.n = 0;
    token.width = directive->width;
    while (is_space(**input)) ++*input;
    if (!**input) return at_end;
    if (**input == '-' || **input == '+') take(&token, input);
    int n_sign = token.n;
    if (fits(&token) && **input == '0') {
        take(&token, input);
        if (base == 0) base = 8;
        if (fits(&token) && (base == 16 || directive->conversion == 'i') && (**input == 'x' || **input == 'X')) {
            take(&token, input);
            base = 16;
        }
    }
    if (base == 0) base = 10;
    while (fits(&token) && digit_of(**input) < base) take(&token, input);
    token.text[token.n] = 0;
    if (token.n == n_sign) return mismatch;
    unsigned long long value;
    int is_wide = directive->length == 'q' || directive->length == 'L' || directive->length == 'j';
    if (is_signed)
        value = is_wide ? (unsigned long long)strtoll(token.text, (char **)0, base)
                        : (unsigned long long)strtol(token.text, (char **)0, base);
    else
        value = is_wide ? strtoull(token.text, (char **)0, base) : strtoul(token.text, (char **)0, base);
    if (place) store_integer(place, directive->length, value);
    return stored;
}

// Takes as much of `word` as the input has; whether all.
static int take_word(struct token *token, const char **input, const char *word) {
    for (; *word; word++) {
        if (!fits(token) || (**input | 32) != *word) return 0;
        take(token, input);
    }
    return 1;
}

static enum outcome take_float(struct token *token, const char **input) {
    if (**input == '-' || **input == '+') take(token, input);
    int n_prefix = token->n, base = 10, has_dot = 0, has_exponent = 0;
    if (fits(token) && (**input | 32) == 'n') return take_word(token, input, "nan") ? stored : mismatch;
    if (fits(token) && (**input | 32) == 'i') {
        if (!take_word(token, input, "inf")) return mismatch;
        if (!fits(token) || (**input | 32) != 'i') return stored;
        return take_word(token, input, "inity") ? stored : mismatch;
    }
    if (fits(token) && **input == '0') {
        take(token, input);
        if (fits(token) && (**input | 32) == 'x') {
            take(token, input);
            n_prefix = token->n;
            base = 16;
        }
    }
    for (; fits(token); take(token, input)) {
        int c = **input, last = token->n > 0 ? token->text[token->n - 1] | 32 : 0;
        if (digit_of(c) < (has_exponent ? 10 : base)) continue;
        if (has_exponent && last == (base == 16 ? 'p' : 'e') && (c == '-' || c == '+')) continue;
        if (c == '.' && !has_dot && !has_exponent) {
            has_dot = 1;
            continue;
        }
        int has_digits = token->n > n_prefix + has_dot;
        if (has_exponent || !has_digits || (c | 32) != (base == 16 ? 'p' : 'e')) break;
        has_exponent = 1;
    }
    return token->n == n_prefix ? mismatch : stored;
}

static enum outcome scan_float(const char **input, const struct directive *directive, void *place) {
    struct token token;
    char *end;
    token.n = 0;
    token.width = directive->width;
    while (is_space(**input)) ++*input;
    if (!**input) return at_end;
    if (take_float(&token, input) == mismatch) return mismatch;
    token.text[token.n] = 0;
    if (directive->length == 'L' || directive->length == 'q') {
        long double value = strtold(token.text, &end);
        if (place && end != token.text) *(long double *)place = value;
    } else if (directive->length == 'l') {
        double value = strtod(token.text, &end);
        if (place && end != token.text) *(double *)place = value;
    } else {
        float value = strtof(token.text, &end);
        if (place && end != token.text) *(float *)place = value;
    }
    return end == token.text ? mismatch : stored;
}

static enum outcome scan_characters(const char **input, const struct directive *directive, char *place) {
    int n = directive->width == 0 ? 1 : directive->width;
    if (!**input) return at_end;
    for (int i = 0; i < n && **input; i++) {
        if (place) place[i] = **input;
        ++*input;
    }
    return stored;
}

// Bytes of `set` (a table over all bytes) and a terminator.
static enum outcome scan_set(const char **input, const struct directive *directive, const char *set, char *place) {
    int n = 0;
    if (!**input) return at_end;
    while (**input && set[(unsigned char)**input] && (directive->width == 0 || n < directive->width)) {
        if (place) place[n] = **input;
        n++;
        ++*input;
    }
    if (n == 0) return mismatch;
    if (place) place[n] = 0;
    return stored;
}

static const char *read_set(const char *p, char *set) {
    int is_excluding = *p == '^';
    if (is_excluding) p++;
    __unpick_memset(set, is_excluding, 256);
    const char *first = p;
    for (; *p && (*p != ']' || p == first); p++) {
        if (*p == '-' && p != first && p[1] && p[1] != ']' && (unsigned char)p[-1] <= (unsigned char)p[1]) {
            for (int c = (unsigned char)p[-1]; c <= (unsigned char)p[1]; c++) set[c] = !is_excluding;
            p++;
        } else {
            set[(unsigned char)*p] = !is_excluding;
        }
    }
    return *p ? p + 1 : p;
}

static enum outcome scan_word(const char **input, const struct directive *directive, char *place) {
    char set[256];
    __unpick_memset(set, 1, 256);
    set[' '] = 0;
    __unpick_memset(set + 9, 0, 5);
    while (is_space(**input)) ++*input;
    return scan_set(input, directive, set, place);
}

static enum outcome convert(const char **input, const char **format, const struct directive *directive, void *place) {
    char set[256];
    if (directive->length == 'l' &&
        (directive->conversion == 's' || directive->conversion == 'c' || directive->conversion == '['))
        __unpick_unmodelled("sscanf of wide characters");
    switch (directive->conversion) {
    case 'd': return scan_integer(input, directive, 10, 1, place);
    case 'i': return scan_integer(input, directive, 0, 1, place);
    case 'u': return scan_integer(input, directive, 10, 0, place);
    case 'o': return scan_integer(input, directive, 8, 0, place);
    case 'x':
    case 'X': return scan_integer(input, directive, 16, 0, place);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': return scan_float(input, directive, place);
    case 'c': return scan_characters(input, directive, place);
    case 's': return scan_word(input, directive, place);
    case '[': *format = read_set(*format, set); return scan_set(input, directive, set, place);
    default: __unpick_unmodelled("an unknown scanf conversion"); return mismatch;
    }
}

/// vsscanf: exact — without %p, %m and wide characters
int vsscanf(const char *text, const char *format, __builtin_va_list list) {
    struct arguments arguments;
    struct directive directive;
    const char *input = text;
    int n_stored = 0;
    __builtin_va_copy(arguments.list, list);
    while (*format) {
        if (is_space(*format)) {
            while (is_space(*input)) input++;
            format++;
            continue;
        }
        if (*format != '%' || format[1] == '%') {
            if (*format == '%') {
                format++;
                while (is_space(*input)) input++;
            }
            if (!*input) return n_stored == 0 ? -1 : n_stored;
            if (*input != *format) return n_stored;
            input++, format++;
            continue;
        }
        format = read_directive(format + 1, &directive);
        void *place = directive.is_suppressed ? (void *)0 : __builtin_va_arg(arguments.list, void *);
        if (directive.conversion == 'n') {
            if (place) store_integer(place, directive.length, (unsigned long long)(input - text));
            continue;
        }
        enum outcome outcome = convert(&input, &format, &directive, place);
        // As in glibc, conversions that store nothing do not count here.
        if (outcome == at_end) return n_stored == 0 ? -1 : n_stored;
        if (outcome == mismatch) return n_stored;
        if (place) n_stored++;
    }
    __builtin_va_end(arguments.list);
    return n_stored;
}

/// __isoc99_vsscanf: exact — as vsscanf
int __isoc99_vsscanf(const char *restrict text, const char *restrict format, __builtin_va_list list) {
    return vsscanf(text, format, list);
}

/// sscanf: exact — as vsscanf
int sscanf(const char *restrict text, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsscanf(text, format, list);
    __builtin_va_end(list);
    return n;
}

/// __isoc99_sscanf: exact — as vsscanf
int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsscanf(text, format, list);
    __builtin_va_end(list);
    return n;
}

/// __isoc23_sscanf: exact — as vsscanf
int __isoc23_sscanf(const char *restrict text, const char *restrict format, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, format);
    int n = vsscanf(text, format, list);
    __builtin_va_end(list);
    return n;
}

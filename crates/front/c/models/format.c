//! header: stdio.h
// The engine of formatted output: one pass over the format, each conversion written to a sink. A sink is a buffer
// (sprintf and its kin) or a stream. A sink that skips takes no text: arguments are read and strings followed, but
// nothing is converted, so that printing an open input does not enumerate it. Such a sink counts nothing, so it
// serves only calls whose result is unused.
typedef __typeof__(sizeof 0) size_t;
typedef __typeof__((char *)0 - (char *)0) ssize_t;

struct model_sink {
    char *buffer;     // where bytes go, or null
    size_t room;      // how many bytes the buffer takes
    size_t total;     // bytes written or dropped so far
    int stream;       // 1 or 2, or 0 for bytes that nobody sees
    int is_skipping;  // nothing is converted or counted, but arguments have to have values
};

struct model_spec {
    int is_left, has_plus, has_space, has_alternate, has_zero;
    int width, precision;  // precision -1: none
    int length;            // 'H' for hh, 'q' for ll, otherwise the letter itself or 0
    int conversion;
};

struct arguments {
    __builtin_va_list list;
};

int *__errno_location(void);
char *strerror(int error);
void __model_format_float(struct model_sink *sink, const struct model_spec *spec, double value);
void __model_format_long_double(struct model_sink *sink, const struct model_spec *spec, long double value);

void __model_emit(struct model_sink *sink, const char *bytes, size_t n) {
    if (n == 0 || sink->is_skipping) return;
    if (sink->buffer) {
        size_t used = sink->total < sink->room ? sink->total : sink->room;
        size_t fits = n < sink->room - used ? n : sink->room - used;
        if (fits != 0) __unpick_memcpy(sink->buffer + used, bytes, fits);
    } else if (sink->stream != 0) {
        __unpick_output(sink->stream, bytes, n);
    }
    sink->total += n;
}

void __model_pad(struct model_sink *sink, int c, ssize_t n) {
    char run[32];
    if (n <= 0 || sink->is_skipping) return;
    __unpick_memset(run, c, sizeof run);
    for (; n > 32; n -= 32) __model_emit(sink, run, 32);
    __model_emit(sink, run, n);
}

static void emit_padded(struct model_sink *sink, const struct model_spec *spec, const char *bytes, size_t n) {
    ssize_t padding = spec->width - (ssize_t)n;
    if (!spec->is_left) __model_pad(sink, ' ', padding);
    __model_emit(sink, bytes, n);
    if (spec->is_left) __model_pad(sink, ' ', padding);
}

static int to_int(const char **place) {
    int n = 0;
    while (**place >= '0' && **place <= '9') n = n * 10 + (*(*place)++ - '0');
    return n;
}

static const char *read_spec(const char *p, struct model_spec *spec, struct arguments *arguments) {
    __unpick_memset(spec, 0, sizeof *spec);
    spec->precision = -1;
    for (;; p++) {
        if (*p == '-') spec->is_left = 1;
        else if (*p == '+') spec->has_plus = 1;
        else if (*p == ' ') spec->has_space = 1;
        else if (*p == '#') spec->has_alternate = 1;
        else if (*p == '0') spec->has_zero = 1;
        else if (*p != '\'' && *p != 'I') break;
    }
    if (*p == '*') {
        p++;
        spec->width = __builtin_va_arg(arguments->list, int);
        if (spec->width < 0) {
            spec->is_left = 1;
            spec->width = -spec->width;
        }
    } else {
        spec->width = to_int(&p);
        if (*p == '$') __unpick_unmodelled("printf with numbered arguments");
    }
    if (*p == '.') {
        p++;
        if (*p == '*') {
            p++;
            spec->precision = __builtin_va_arg(arguments->list, int);
            if (spec->precision < 0) spec->precision = -1;
        } else {
            spec->precision = to_int(&p);
        }
    }
    if (*p == 'h' || *p == 'l' || *p == 'j' || *p == 'z' || *p == 'Z' || *p == 't' || *p == 'L' || *p == 'q') {
        spec->length = *p++;
        if (spec->length == 'h' && *p == 'h') p++, spec->length = 'H';
        if (spec->length == 'l' && *p == 'l') p++, spec->length = 'q';
        if (spec->length == 'Z') spec->length = 'z';
    }
    spec->conversion = *p;
    return *p ? p + 1 : p;
}

static long long signed_argument(int length, struct arguments *arguments) {
    switch (length) {
    case 'H': return (signed char)__builtin_va_arg(arguments->list, int);
    case 'h': return (short)__builtin_va_arg(arguments->list, int);
    case 'l': return __builtin_va_arg(arguments->list, long);
    case 'q':
    case 'L':
    case 'j': return __builtin_va_arg(arguments->list, long long);
    case 'z':
    case 't': return __builtin_va_arg(arguments->list, ssize_t);
    default: return __builtin_va_arg(arguments->list, int);
    }
}

static unsigned long long unsigned_argument(int length, struct arguments *arguments) {
    switch (length) {
    case 'H': return (unsigned char)__builtin_va_arg(arguments->list, unsigned);
    case 'h': return (unsigned short)__builtin_va_arg(arguments->list, unsigned);
    case 'l': return __builtin_va_arg(arguments->list, unsigned long);
    case 'q':
    case 'L':
    case 'j': return __builtin_va_arg(arguments->list, unsigned long long);
    case 'z':
    case 't': return __builtin_va_arg(arguments->list, size_t);
    default: return __builtin_va_arg(arguments->list, unsigned);
    }
}

// Prefix (sign or base), zeros, digits, with the padding that goes with them.
static void emit_number(struct model_sink *sink, const struct model_spec *spec, unsigned long long value, int base,
                        const char *prefix, size_t n_prefix) {
    char digits[24];
    const char *alphabet = spec->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    int first = 24;
    for (; value != 0; value /= base) digits[--first] = alphabet[value % base];
    int n_digits = 24 - first;
    int n_zeros = spec->precision < 0 ? (n_digits == 0 ? 1 : 0) : spec->precision - n_digits;
    if (n_zeros < 0) n_zeros = 0;
    if (base == 8 && spec->has_alternate && n_zeros == 0) n_zeros = 1;
    ssize_t padding = spec->width - ((ssize_t)n_prefix + n_zeros + n_digits);
    int is_zero_padded = spec->has_zero && !spec->is_left && spec->precision < 0;
    if (!spec->is_left && !is_zero_padded) __model_pad(sink, ' ', padding);
    __model_emit(sink, prefix, n_prefix);
    if (is_zero_padded) __model_pad(sink, '0', padding);
    __model_pad(sink, '0', n_zeros);
    __model_emit(sink, digits + first, n_digits);
    if (spec->is_left) __model_pad(sink, ' ', padding);
}

static void emit_signed(struct model_sink *sink, const struct model_spec *spec, long long value) {
    unsigned long long magnitude = value < 0 ? -(unsigned long long)value : (unsigned long long)value;
    const char *sign = value < 0 ? "-" : spec->has_plus ? "+" : spec->has_space ? " " : "";
    emit_number(sink, spec, magnitude, 10, sign, *sign ? 1 : 0);
}

static void emit_unsigned(struct model_sink *sink, const struct model_spec *spec, unsigned long long value) {
    int base = spec->conversion == 'o' ? 8 : spec->conversion == 'u' ? 10 : 16;
    int has_prefix = base == 16 && spec->has_alternate && value != 0;
    emit_number(sink, spec, value, base, spec->conversion == 'X' ? "0X" : "0x", has_prefix ? 2 : 0);
}

static void emit_pointer(struct model_sink *sink, struct model_spec *spec, const void *pointer) {
    if (!pointer) {
        emit_padded(sink, spec, "(nil)", 5);
        return;
    }
    if (sink->is_skipping) return;
    const char *prefix = spec->has_plus ? "+0x" : spec->has_space ? " 0x" : "0x";
    emit_number(sink, spec, (size_t)pointer, 16, prefix, prefix[0] == '0' ? 2 : 3);
}

static void emit_string(struct model_sink *sink, const struct model_spec *spec, const char *text) {
    if (!text) __unpick_fail("null-dereference", "a null pointer is printed with %s");
    size_t n = 0;
    while ((spec->precision < 0 || n < (size_t)spec->precision) && text[n]) n++;
    emit_padded(sink, spec, text, n);
}

// Wide characters beyond ASCII cannot be written in the C locale.
static int emit_wide(struct model_sink *sink, const struct model_spec *spec, const int *text, size_t most) {
    size_t n = 0;
    while (n < most && text[n]) {
        if (text[n] < 0 || text[n] > 127) {
            *__errno_location() = 84;
            return 0;
        }
        n++;
    }
    ssize_t padding = spec->width - (ssize_t)n;
    if (!spec->is_left) __model_pad(sink, ' ', padding);
    for (size_t i = 0; i < n; i++) __model_pad(sink, text[i], 1);
    if (spec->is_left) __model_pad(sink, ' ', padding);
    return 1;
}

static void store_total(struct model_sink *sink, int length, struct arguments *arguments) {
    void *place = __builtin_va_arg(arguments->list, void *);
    switch (length) {
    case 'H': *(signed char *)place = (signed char)sink->total; break;
    case 'h': *(short *)place = (short)sink->total; break;
    case 'l': *(long *)place = (long)sink->total; break;
    case 'q':
    case 'L':
    case 'j': *(long long *)place = (long long)sink->total; break;
    case 'z':
    case 't': *(size_t *)place = sink->total; break;
    default: *(int *)place = (int)sink->total;
    }
}

static void convert_float(struct model_sink *sink, struct model_spec *spec, struct arguments *arguments) {
    if (spec->length == 'L') {
        long double value = __builtin_va_arg(arguments->list, long double);
        if (sink->is_skipping) __unpick_output(0, &value, 10);
        else __model_format_long_double(sink, spec, value);
    } else {
        double value = __builtin_va_arg(arguments->list, double);
        if (sink->is_skipping) __unpick_output(0, &value, sizeof value);
        else __model_format_float(sink, spec, value);
    }
}

static int convert_character(struct model_sink *sink, struct model_spec *spec, struct arguments *arguments) {
    int c = __builtin_va_arg(arguments->list, int);
    if (sink->is_skipping) {
        __unpick_output(0, &c, sizeof c);
        return 1;
    }
    if (spec->length == 'l' || spec->conversion == 'C') {
        int text[2] = {c, 0};
        if (c != 0) return emit_wide(sink, spec, text, 1);
    }
    char byte = (char)c;
    emit_padded(sink, spec, &byte, 1);
    return 1;
}

// Whether the conversion could be carried out.
static int convert(struct model_sink *sink, struct model_spec *spec, struct arguments *arguments) {
    switch (spec->conversion) {
    case 'd':
    case 'i': {
        long long value = signed_argument(spec->length, arguments);
        if (sink->is_skipping) __unpick_output(0, &value, sizeof value);
        else emit_signed(sink, spec, value);
        return 1;
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
        unsigned long long value = unsigned_argument(spec->length, arguments);
        if (sink->is_skipping) __unpick_output(0, &value, sizeof value);
        else emit_unsigned(sink, spec, value);
        return 1;
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': convert_float(sink, spec, arguments); return 1;
    case 'C':
    case 'c': return convert_character(sink, spec, arguments);
    case 'S':
    case 's':
        if (spec->length == 'l' || spec->conversion == 'S')
            return emit_wide(sink, spec, __builtin_va_arg(arguments->list, int *),
                             spec->precision < 0 ? ~(size_t)0 : (size_t)spec->precision);
        emit_string(sink, spec, __builtin_va_arg(arguments->list, char *));
        return 1;
    case 'p': emit_pointer(sink, spec, __builtin_va_arg(arguments->list, void *)); return 1;
    case 'm': emit_string(sink, spec, strerror(*__errno_location())); return 1;
    case 'n': store_total(sink, spec->length, arguments); return 1;
    case '%': __model_emit(sink, "%", 1); return 1;
    default: __unpick_unmodelled("an unknown printf conversion"); return 0;
    }
}

// The number of bytes, or -1.
int __model_format(struct model_sink *sink, const char *format, __builtin_va_list list) {
    struct arguments arguments;
    struct model_spec spec;
    __builtin_va_copy(arguments.list, list);
    while (*format) {
        const char *start = format;
        while (*format && *format != '%') format++;
        __model_emit(sink, start, format - start);
        if (!*format) break;
        format = read_spec(format + 1, &spec, &arguments);
        if (!convert(sink, &spec, &arguments)) return -1;
    }
    __builtin_va_end(arguments.list);
    if (sink->total > 2147483647) {
        *__errno_location() = 75;
        return -1;
    }
    return (int)sink->total;
}

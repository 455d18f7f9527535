//! header: stdio.h
// Floating numbers to text, exactly: the mantissa times a power of five (or two) is computed as one large integer in
// base 10^9, so every digit of the value is known and rounding to nearest, ties to even, is a look at the digits.
typedef __typeof__(sizeof 0) size_t;
typedef __typeof__((char *)0 - (char *)0) ssize_t;

struct model_sink;

struct model_spec {
    int is_left, has_plus, has_space, has_alternate, has_zero;
    int width, precision;
    int length;
    int conversion;
};

void __model_emit(struct model_sink *sink, const char *bytes, size_t n);
void __model_pad(struct model_sink *sink, int c, ssize_t n);

// mantissa * 2^exponent; `kind` 0 finite, 1 infinite, 2 not a number.
struct parts {
    int is_negative, kind, exponent;
    unsigned long long mantissa;
};

// 0.d0 d1 d2 ... * 10^point, digits as characters, zeros behind the last.
struct decimal {
    char *digits;
    int n_digits, point;
};

static int multiply(unsigned *limbs, int n, unsigned factor) {
    unsigned long long carry = 0;
    for (int i = 0; i < n; i++) {
        carry += (unsigned long long)limbs[i] * factor;
        limbs[i] = (unsigned)(carry % 1000000000);
        carry /= 1000000000;
    }
    for (; carry != 0; carry /= 1000000000) limbs[n++] = (unsigned)(carry % 1000000000);
    return n;
}

static const unsigned powers_of_five[13] = {1,     5,      25,      125,     625,      3125,     15625,
                                            78125, 390625, 1953125, 9765625, 48828125, 244140625};

// `limbs` and `decimal->digits` have room for every digit of the value.
static void to_decimal(struct parts parts, unsigned *limbs, struct decimal *decimal) {
    unsigned long long mantissa = parts.mantissa;
    int exponent = parts.exponent, n = 0;
    decimal->n_digits = 0;
    decimal->point = 0;
    if (mantissa == 0) return;
    if (exponent < 0) {
        int spare = __builtin_ctzll(mantissa);
        if (spare > -exponent) spare = -exponent;
        mantissa >>= spare;
        exponent += spare;
    }
    for (; mantissa != 0; mantissa /= 1000000000) limbs[n++] = (unsigned)(mantissa % 1000000000);
    int scale = exponent < 0 ? -exponent : 0;
    for (int twos = exponent; twos > 0; twos -= 29) n = multiply(limbs, n, 1u << (twos < 29 ? twos : 29));
    for (int fives = scale; fives > 0; fives -= 13)
        n = multiply(limbs, n, fives < 13 ? powers_of_five[fives] : 1220703125);
    char *out = decimal->digits;
    int n_digits = 0;
    for (int i = n - 1; i >= 0; i--) {
        unsigned divisor = 100000000;
        if (i == n - 1)
            while (divisor > limbs[i]) divisor /= 10;
        for (unsigned limb = limbs[i]; divisor != 0; divisor /= 10) {
            out[n_digits++] = (char)('0' + limb / divisor);
            limb %= divisor;
        }
    }
    decimal->n_digits = n_digits;
    decimal->point = n_digits - scale;
}

// Keeps `kept` digits (none if negative).
static void round_decimal(struct decimal *decimal, int kept) {
    if (kept >= decimal->n_digits) return;
    if (kept < 0) {
        decimal->n_digits = 0;
        return;
    }
    char *digits = decimal->digits;
    int is_up = digits[kept] > '5';
    if (digits[kept] == '5') {
        is_up = kept > 0 && (digits[kept - 1] - '0') % 2 != 0;
        for (int i = kept + 1; i < decimal->n_digits && !is_up; i++) is_up = digits[i] != '0';
    }
    decimal->n_digits = kept;
    if (!is_up) return;
    while (kept > 0 && digits[kept - 1] == '9') kept--;
    if (kept == 0) {
        digits[0] = '1';
        decimal->n_digits = 1;
        decimal->point++;
        return;
    }
    digits[kept - 1]++;
    decimal->n_digits = kept;
}

// Digits number `from` to `to` (not included), zeros where there are none.
static void emit_digits(struct model_sink *sink, const struct decimal *decimal, int from, int to) {
    if (from < 0) {
        int end = to < 0 ? to : 0;
        __model_pad(sink, '0', end - from);
        from = end;
    }
    int end = to < decimal->n_digits ? to : decimal->n_digits;
    if (from < end) {
        __model_emit(sink, decimal->digits + from, end - from);
        from = end;
    }
    __model_pad(sink, '0', to - from);
}

static size_t write_exponent(char *out, char letter, int exponent, int n_least) {
    char reversed[8];
    size_t n = 0;
    int n_digits = 0;
    out[n++] = letter;
    out[n++] = exponent < 0 ? '-' : '+';
    if (exponent < 0) exponent = -exponent;
    do {
        reversed[n_digits++] = (char)('0' + exponent % 10);
        exponent /= 10;
    } while (exponent != 0 || n_digits < n_least);
    while (n_digits > 0) out[n++] = reversed[--n_digits];
    return n;
}

static const char *sign_of(const struct model_spec *spec, int is_negative) {
    return is_negative ? "-" : spec->has_plus ? "+" : spec->has_space ? " " : "";
}

// What stands before the digits; the caller pads behind them if the field is aligned to the left.
static ssize_t open_field(struct model_sink *sink, const struct model_spec *spec, const char *sign, const char *prefix,
                          size_t n_body) {
    size_t n_sign = *sign ? 1 : 0, n_prefix = *prefix ? 2 : 0;
    ssize_t padding = spec->width - (ssize_t)(n_sign + n_prefix + n_body);
    if (!spec->is_left && !spec->has_zero) __model_pad(sink, ' ', padding);
    __model_emit(sink, sign, n_sign);
    __model_emit(sink, prefix, n_prefix);
    if (!spec->is_left && spec->has_zero) __model_pad(sink, '0', padding);
    return spec->is_left ? padding : 0;
}

static void emit_fixed(struct model_sink *sink, const struct model_spec *spec, const char *sign,
                       const struct decimal *decimal, int precision) {
    int n_whole = decimal->point > 0 && decimal->n_digits > 0 ? decimal->point : 1;
    int from = n_whole == decimal->point ? 0 : decimal->point - 1;
    if (decimal->n_digits == 0) from = 0;
    int has_dot = precision > 0 || spec->has_alternate;
    ssize_t after = open_field(sink, spec, sign, "", (size_t)n_whole + has_dot + precision);
    emit_digits(sink, decimal, from, from + n_whole);
    if (has_dot) __model_emit(sink, ".", 1);
    emit_digits(sink, decimal, from + n_whole, from + n_whole + precision);
    __model_pad(sink, ' ', after);
}

static void emit_scientific(struct model_sink *sink, const struct model_spec *spec, const char *sign,
                            const struct decimal *decimal, int precision, char letter) {
    char exponent[8];
    int has_dot = precision > 0 || spec->has_alternate;
    size_t n_exponent = write_exponent(exponent, letter, decimal->n_digits == 0 ? 0 : decimal->point - 1, 2);
    ssize_t after = open_field(sink, spec, sign, "", 1 + has_dot + (size_t)precision + n_exponent);
    emit_digits(sink, decimal, 0, 1);
    if (has_dot) __model_emit(sink, ".", 1);
    emit_digits(sink, decimal, 1, 1 + precision);
    __model_emit(sink, exponent, n_exponent);
    __model_pad(sink, ' ', after);
}

static void emit_general(struct model_sink *sink, const struct model_spec *spec, const char *sign,
                         struct decimal *decimal, int precision, char letter) {
    if (precision == 0) precision = 1;
    round_decimal(decimal, precision);
    int exponent = decimal->n_digits == 0 ? 0 : decimal->point - 1;
    int significant = precision;
    if (!spec->has_alternate) {
        significant = decimal->n_digits;
        while (significant > 1 && decimal->digits[significant - 1] == '0') significant--;
        if (significant == 0) significant = 1;
    }
    if (exponent >= -4 && exponent < precision) {
        int fraction = significant - 1 - exponent;
        emit_fixed(sink, spec, sign, decimal, fraction > 0 ? fraction : 0);
    } else {
        emit_scientific(sink, spec, sign, decimal, significant - 1, letter);
    }
}

// `mantissa` holds one leading hexadecimal digit above 60 bits of fraction.
static void emit_hexadecimal(struct model_sink *sink, const struct model_spec *spec, const char *sign,
                             unsigned long long mantissa, int exponent) {
    const char *alphabet = spec->conversion == 'A' ? "0123456789ABCDEF" : "0123456789abcdef";
    char fraction[16], suffix[8];
    int precision = spec->precision;
    unsigned lead = (unsigned)(mantissa >> 60);
    unsigned long long rest = mantissa << 4;
    if (precision >= 0 && precision < 15) {
        unsigned long long unit = 1ULL << (60 - 4 * precision), tail = mantissa & (unit - 1);
        unsigned long long kept = mantissa - tail;
        int is_odd = (kept & unit) != 0;
        if (tail > unit / 2 || (tail == unit / 2 && is_odd)) {
            kept += unit;
            if (kept < unit) {
                kept = 1ULL << 60;
                exponent += 4;
            }
        }
        lead = (unsigned)(kept >> 60);
        rest = kept << 4;
    }
    int n = 0;
    for (; rest != 0; rest <<= 4) fraction[n++] = alphabet[rest >> 60];
    if (precision < 0) precision = n;
    int has_dot = precision > 0 || spec->has_alternate;
    size_t n_suffix = write_exponent(suffix, spec->conversion == 'A' ? 'P' : 'p', exponent, 1);
    ssize_t after = open_field(sink, spec, sign, spec->conversion == 'A' ? "0X" : "0x",
                               1 + has_dot + (size_t)precision + n_suffix);
    __model_emit(sink, alphabet + lead, 1);
    if (has_dot) __model_emit(sink, ".", 1);
    __model_emit(sink, fraction, n < precision ? n : precision);
    __model_pad(sink, '0', precision - n);
    __model_emit(sink, suffix, n_suffix);
    __model_pad(sink, ' ', after);
}

static void emit_special(struct model_sink *sink, const struct model_spec *spec, const char *sign, int kind) {
    struct model_spec plain = *spec;
    plain.has_zero = 0;
    ssize_t after = open_field(sink, &plain, sign, "", 3);
    int is_upper = spec->conversion < 'a';
    __model_emit(sink, kind == 1 ? (is_upper ? "INF" : "inf") : (is_upper ? "NAN" : "nan"), 3);
    __model_pad(sink, ' ', after);
}

static void emit_decimal(struct model_sink *sink, const struct model_spec *spec, struct parts parts, unsigned *limbs,
                         char *digits) {
    struct decimal decimal;
    int precision = spec->precision < 0 ? 6 : spec->precision;
    const char *sign = sign_of(spec, parts.is_negative);
    decimal.digits = digits;
    to_decimal(parts, limbs, &decimal);
    switch (spec->conversion) {
    case 'f':
    case 'F':
        round_decimal(&decimal, decimal.point + precision);
        emit_fixed(sink, spec, sign, &decimal, precision);
        break;
    case 'e':
    case 'E':
        round_decimal(&decimal, precision + 1);
        emit_scientific(sink, spec, sign, &decimal, precision, (char)spec->conversion);
        break;
    default: emit_general(sink, spec, sign, &decimal, precision, spec->conversion == 'G' ? 'E' : 'e');
    }
}

void __model_format_float(struct model_sink *sink, const struct model_spec *spec, double value) {
    unsigned limbs[90];
    char digits[800];
    union {
        double value;
        unsigned long long bits;
    } view = {value};
    int biased = (int)(view.bits >> 52) & 2047;
    struct parts parts = {(int)(view.bits >> 63), 0, 0, view.bits & 0xfffffffffffffULL};
    if (biased == 2047) {
        emit_special(sink, spec, sign_of(spec, parts.is_negative), parts.mantissa == 0 ? 1 : 2);
        return;
    }
    if (biased != 0) parts.mantissa |= 1ULL << 52;
    parts.exponent = (biased == 0 ? 1 : biased) - 1075;
    if (spec->conversion == 'a' || spec->conversion == 'A')
        emit_hexadecimal(sink, spec, sign_of(spec, parts.is_negative), parts.mantissa << 8,
                         parts.mantissa == 0 ? 0 : parts.exponent + 52);
    else
        emit_decimal(sink, spec, parts, limbs, digits);
}

void __model_format_long_double(struct model_sink *sink, const struct model_spec *spec, long double value) {
    unsigned limbs[1300];
    char digits[11600];
    union {
        long double value;
        struct {
            unsigned long long mantissa;
            unsigned short exponent;
        } words;
    } view = {value};
    int biased = view.words.exponent & 32767;
    struct parts parts = {view.words.exponent >> 15, 0, 0, view.words.mantissa};
    if (biased == 32767) {
        emit_special(sink, spec, sign_of(spec, parts.is_negative), parts.mantissa << 1 == 0 ? 1 : 2);
        return;
    }
    parts.exponent = (biased == 0 ? 1 : biased) - 16446;
    if (spec->conversion == 'a' || spec->conversion == 'A')
        emit_hexadecimal(sink, spec, sign_of(spec, parts.is_negative), parts.mantissa,
                         parts.mantissa == 0 ? 0 : parts.exponent + 60);
    else
        emit_decimal(sink, spec, parts, limbs, digits);
}

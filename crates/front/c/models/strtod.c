//! header: stdlib.h
// Text to floating numbers, correctly rounded: the decimal is a quotient of two large integers, whose leading bits
// come from a long division and whose remainder says whether anything follows. Short decimals take one
// multiplication or division of doubles, which is exact in both operands.
typedef __typeof__(sizeof 0) size_t;

int *__errno_location(void);
int strncasecmp(const char *a, const char *b, size_t n);

// Little-endian in base 2^32.
struct large {
    unsigned *limbs;
    int n;
};

// A binary format: bits of the mantissa, exponent of the unit of its smallest number and of infinity.
struct format {
    int n_bits, least, most;
    int n_digits;   // decimal digits that can matter
    int most_ten;   // beyond 10^this all is infinite
    int least_ten;  // below 10^this all is zero
};

static const struct format single_format = {24, -149, 128, 130, 40, -47};
static const struct format double_format = {53, -1074, 1024, 790, 310, -326};
static const struct format extended_format = {64, -16445, 16384, 11530, 4940, -4960};

static void multiply_add(struct large *number, unsigned factor, unsigned addend) {
    unsigned long long carry = addend;
    for (int i = 0; i < number->n; i++) {
        carry += (unsigned long long)number->limbs[i] * factor;
        number->limbs[i] = (unsigned)carry;
        carry >>= 32;
    }
    if (carry != 0) number->limbs[number->n++] = (unsigned)carry;
}

static void multiply_power_of_five(struct large *number, int power) {
    for (; power >= 13; power -= 13) multiply_add(number, 1220703125, 0);
    for (; power > 0; power--) multiply_add(number, 5, 0);
}

static int bit_length(const struct large *number) {
    return number->n == 0 ? 0 : 32 * number->n - __builtin_clz(number->limbs[number->n - 1]);
}

static void shift_left(struct large *number, int shift) {
    int words = shift / 32, bits = shift % 32;
    if (number->n == 0 || shift == 0) return;
    number->limbs[number->n] = 0;
    for (int i = number->n; i >= 0; i--) {
        unsigned high = number->limbs[i] << bits;
        unsigned low = bits != 0 && i > 0 ? number->limbs[i - 1] >> (32 - bits) : 0;
        number->limbs[i + words] = high | low;
    }
    for (int i = 0; i < words; i++) number->limbs[i] = 0;
    number->n += words + 1;
    while (number->limbs[number->n - 1] == 0) number->n--;
}

static int is_less(const struct large *a, const struct large *b) {
    if (a->n != b->n) return a->n < b->n;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i];
    return 0;
}

static void subtract(struct large *a, const struct large *b) {
    unsigned long long borrow = 0;
    for (int i = 0; i < a->n; i++) {
        unsigned long long taken = borrow + (i < b->n ? b->limbs[i] : 0);
        borrow = taken > a->limbs[i];
        a->limbs[i] -= (unsigned)taken;
    }
    while (a->n > 0 && a->limbs[a->n - 1] == 0) a->n--;
}

// What was read: (mantissa + something if `has_more`) * 2^exponent, top bit of the mantissa set unless it is zero.
struct binary {
    unsigned long long mantissa;
    int exponent, has_more;
};

// above / below
static struct binary divide(struct large *above, struct large *below) {
    struct binary result = {0, 0, 0};
    if (above->n == 0) return result;
    int difference = bit_length(above) - bit_length(below);
    if (difference > 0) shift_left(below, difference);
    else shift_left(above, -difference);
    if (is_less(above, below)) {
        shift_left(above, 1);
        difference--;
    }
    for (int i = 0; i < 64; i++) {
        result.mantissa <<= 1;
        if (!is_less(above, below)) {
            subtract(above, below);
            result.mantissa |= 1;
        }
        shift_left(above, 1);
    }
    result.exponent = difference - 63;
    // One bit more than the mantissa decides between half and less or more than half.
    if (above->n != 0) {
        result.has_more = 1;
        if (!is_less(above, below)) {
            subtract(above, below);
            result.has_more = above->n == 0 ? 2 : 3;
        }
    }
    return result;
}

// `has_more`: 0 nothing, 1 less than half a unit, 2 half, 3 more than half. The mantissa in units of 2^*exponent.
static unsigned long long round_to(struct binary number, const struct format *format, int *exponent, int *is_inexact) {
    int dropped = 64 - format->n_bits;
    *is_inexact = number.has_more != 0;
    if (number.exponent + dropped < format->least) dropped = format->least - number.exponent;
    *exponent = number.exponent + dropped;
    if (number.mantissa == 0) return 0;
    if (dropped == 0) {
        unsigned long long kept = number.mantissa;
        if (number.has_more == 3 || (number.has_more == 2 && (kept & 1) != 0)) {
            if (++kept == 0) {
                kept = 1ULL << 63;
                ++*exponent;
            }
        }
        return kept;
    }
    unsigned long long kept = dropped < 64 ? number.mantissa >> dropped : 0;
    unsigned long long tail = dropped < 64 ? number.mantissa << (64 - dropped) : dropped == 64 ? number.mantissa : 1;
    unsigned long long half = 1ULL << 63;
    int has_more = number.has_more != 0;
    if (tail != 0) *is_inexact = 1;
    if (dropped <= 64 && (tail > half || (tail == half && (has_more || (kept & 1) != 0)))) kept++;
    if (format->n_bits < 64 && kept >> format->n_bits != 0) {
        kept >>= 1;
        ++*exponent;
    }
    return kept;
}

// Whether it would still be below the smallest normal number with an unlimited exponent.
static int is_tiny(struct binary number, const struct format *format) {
    struct format unlimited = *format;
    int exponent, is_inexact;
    unlimited.least = -1000000;
    unsigned long long mantissa = round_to(number, &unlimited, &exponent, &is_inexact);
    return mantissa != 0 && 63 - __builtin_clzll(mantissa) + exponent < format->least + format->n_bits - 1;
}

// Mantissa and exponent, or infinity (`exponent` = format->most).
static unsigned long long finish(struct binary number, const struct format *format, int *exponent) {
    int is_inexact;
    if (number.mantissa == 0) {
        *exponent = format->least;
        return 0;
    }
    unsigned long long mantissa = round_to(number, format, exponent, &is_inexact);
    if (mantissa != 0 && 64 - __builtin_clzll(mantissa) + *exponent > format->most) {
        *__errno_location() = 34;
        *exponent = format->most;
        return 0;
    }
    if (is_inexact && is_tiny(number, format)) *__errno_location() = 34;
    return mantissa;
}

static int is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }
static int is_digit(int c) { return c >= '0' && c <= '9'; }

static int hex_digit(int c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The exponent after `e` or `p`, if one is there.
static const char *read_exponent(const char *p, int *exponent) {
    const char *q = p + 1;
    int is_negative = *q == '-', value = 0;
    if (*q == '-' || *q == '+') q++;
    if (!is_digit(*q)) return p;
    for (; is_digit(*q); q++)
        if (value < 100000000) value = value * 10 + (*q - '0');
    *exponent = is_negative ? -value : value;
    return q;
}

static const char *read_hexadecimal(const char *p, struct binary *number) {
    unsigned long long high = 0, low = 0;
    int has_dot = 0, exponent = 0, written = 0, n_low = 0, has_rest = 0;
    for (;; p++) {
        int digit = hex_digit(*p);
        if (*p == '.' && !has_dot) {
            has_dot = 1;
            continue;
        }
        if (digit < 0) break;
        if (high >> 60 == 0) {
            high = high << 4 | (unsigned)digit;
            if (has_dot) exponent -= 4;
            continue;
        }
        if (!has_dot) exponent += 4;
        if (n_low < 16) low |= (unsigned long long)digit << (60 - 4 * n_low++);
        else if (digit != 0) has_rest = 1;
    }
    if (*p == 'p' || *p == 'P') p = read_exponent(p, &written);
    if (high == 0) return p;
    int shift = __builtin_clzll(high);
    if (shift != 0) high = high << shift | low >> (64 - shift);
    low <<= shift;
    number->mantissa = high;
    number->exponent = exponent + written - shift;
    int has_tail = low << 1 != 0 || has_rest;
    if (low >> 63 != 0) number->has_more = has_tail ? 3 : 2;
    else number->has_more = has_tail ? 1 : 0;
    return p;
}

struct digits {
    const char *first;     // where the significant digits start
    int n;                 // how many there are, with the zeros at the end dropped
    int ten;               // value = digits as an integer * 10^ten
};

static const char *read_digits(const char *p, struct digits *digits) {
    int has_dot = 0, n = 0, after_dot = 0, zeros = 0, written = 0;
    digits->first = (const char *)0;
    for (;; p++) {
        if (*p == '.' && !has_dot) {
            has_dot = 1;
            continue;
        }
        if (!is_digit(*p)) break;
        if (has_dot) after_dot++;
        if (*p != '0' && !digits->first) digits->first = p;
        if (digits->first) {
            n++;
            zeros = *p == '0' ? zeros + 1 : 0;
        }
    }
    if (*p == 'e' || *p == 'E') p = read_exponent(p, &written);
    digits->n = n - zeros;
    digits->ten = written - after_dot + zeros;
    return p;
}

static struct binary convert(struct digits digits, const struct format *format, unsigned *room, int n_room) {
    struct large above = {room, 0}, below = {room + n_room, 0};
    struct binary zero = {0, 0, 0};
    struct binary huge = {1ULL << 63, 100000, 0}, tiny = {1ULL << 63, -100000, 1};
    if (digits.n == 0) return zero;
    if (digits.n + digits.ten > format->most_ten) return huge;
    if (digits.n + digits.ten < format->least_ten) return tiny;
    int ten = digits.ten, n_used = 0;
    for (const char *p = digits.first; n_used < digits.n; p++) {
        if (*p == '.') continue;
        // Digits that cannot matter are worth a one behind the others.
        if (n_used == format->n_digits) {
            multiply_add(&above, 10, 1);
            ten += digits.n - n_used - 1;
            break;
        }
        if (above.n == 0) above.limbs[above.n++] = (unsigned)(*p - '0');
        else multiply_add(&above, 10, (unsigned)(*p - '0'));
        n_used++;
    }
    below.limbs[below.n++] = 1;
    multiply_power_of_five(ten > 0 ? &above : &below, ten > 0 ? ten : -ten);
    struct binary result = divide(&above, &below);
    result.exponent += ten;
    return result;
}

// What stands for no number but for infinity or NaN: its length and which of them.
static int special_length(const char *p, int *is_nan) {
    *is_nan = 0;
    if (strncasecmp(p, "infinity", 8) == 0) return 8;
    if (strncasecmp(p, "inf", 3) == 0) return 3;
    if (strncasecmp(p, "nan", 3) != 0) return 0;
    *is_nan = 1;
    if (p[3] != '(') return 3;
    int n = 4;
    while (is_digit(p[n]) || p[n] == '_' || (p[n] >= 'a' && p[n] <= 'z') || (p[n] >= 'A' && p[n] <= 'Z')) n++;
    return p[n] == ')' ? n + 1 : 3;
}

struct reading {
    unsigned long long mantissa;
    int exponent, is_negative, is_infinite, is_nan;
};

// Short decimals: at most 15 digits and a power of ten that a double holds exactly.
static int is_short(struct digits digits) {
    return digits.n > 0 && digits.n <= 15 && digits.ten >= -22 && digits.ten <= 22;
}

static double short_value(struct digits digits) {
    static const double tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    long long whole = 0;
    int n_used = 0;
    for (const char *p = digits.first; n_used < digits.n; p++)
        if (*p != '.') {
            whole = whole * 10 + (*p - '0');
            n_used++;
        }
    return digits.ten < 0 ? (double)whole / tens[-digits.ten] : (double)whole * tens[digits.ten];
}

// Reads a number; a short one ends in `*quick` if that is wanted, and the result says so.
static int read(const char *text, char **end, const struct format *format, unsigned *room, int n_room,
                struct reading *reading, double *quick) {
    const char *p = text;
    struct reading nothing = {0, format->least, 0, 0, 0};
    struct binary number = {0, 0, 0};
    *reading = nothing;
    while (is_space(*p)) p++;
    if (*p == '-' || *p == '+') reading->is_negative = *p++ == '-';
    int n_special = special_length(p, &reading->is_nan);
    if (n_special != 0) {
        reading->is_infinite = !reading->is_nan;
        if (end) *end = (char *)p + n_special;
        return 0;
    }
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
        (hex_digit(p[2]) >= 0 || (p[2] == '.' && hex_digit(p[3]) >= 0))) {
        p = read_hexadecimal(p + 2, &number);
    } else if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
        struct digits digits;
        p = read_digits(p, &digits);
        if (quick && is_short(digits)) {
            *quick = short_value(digits);
            if (end) *end = (char *)p;
            return 1;
        }
        number = convert(digits, format, room, n_room);
    } else {
        reading->is_negative = 0;
        p = text;
    }
    if (end) *end = (char *)p;
    reading->mantissa = finish(number, format, &reading->exponent);
    if (reading->exponent == format->most && number.mantissa != 0) reading->is_infinite = 1;
    return 0;
}

/// strtod: exact — correctly rounded
double strtod(const char *restrict s, char **restrict end) {
    unsigned room[240];
    struct reading reading;
    double quick;
    union {
        unsigned long long bits;
        double value;
    } view;
    if (read(s, end, &double_format, room, 120, &reading, &quick)) return reading.is_negative ? -quick : quick;
    view.bits = (unsigned long long)reading.is_negative << 63;
    if (reading.is_nan) view.bits |= 0x7ff8000000000000ULL;
    else if (reading.is_infinite) view.bits |= 0x7ff0000000000000ULL;
    else if (reading.mantissa >> 52 != 0)
        view.bits |= (unsigned long long)(reading.exponent + 1075) << 52 | (reading.mantissa & 0xfffffffffffffULL);
    else view.bits |= reading.mantissa;
    return view.value;
}

/// strtof: exact — correctly rounded
float strtof(const char *restrict s, char **restrict end) {
    unsigned room[120];
    struct reading reading;
    union {
        unsigned bits;
        float value;
    } view;
    read(s, end, &single_format, room, 60, &reading, (double *)0);
    view.bits = (unsigned)reading.is_negative << 31;
    if (reading.is_nan) view.bits |= 0x7fc00000;
    else if (reading.is_infinite) view.bits |= 0x7f800000;
    else if (reading.mantissa >> 23 != 0)
        view.bits |= (unsigned)(reading.exponent + 150) << 23 | (unsigned)(reading.mantissa & 0x7fffff);
    else view.bits |= (unsigned)reading.mantissa;
    return view.value;
}

/// strtold: exact — correctly rounded
long double strtold(const char *restrict s, char **restrict end) {
    unsigned room[2600];
    struct reading reading;
    union {
        long double value;
        struct {
            unsigned long long mantissa;
            unsigned short exponent;
        } words;
    } view;
    read(s, end, &extended_format, room, 1300, &reading, (double *)0);
    view.value = 0;
    view.words.mantissa = reading.mantissa;
    int biased = reading.mantissa >> 63 != 0 ? reading.exponent + 16446 : 0;
    if (reading.is_infinite || reading.is_nan) {
        view.words.mantissa = reading.is_nan ? 3ULL << 62 : 1ULL << 63;
        biased = 32767;
    }
    view.words.exponent = (unsigned short)(biased | reading.is_negative << 15);
    return view.value;
}

/// atof: exact — correctly rounded
double atof(const char *s) { return strtod(s, (char **)0); }

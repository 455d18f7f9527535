//! header: math.h
// Operations on doubles that IEEE 754 fixes to the last bit. Rounding is to nearest.

int *__errno_location(void);

union view {
    double value;
    unsigned long long bits;
};

static unsigned long long bits_of(double x) {
    union view view = {x};
    return view.bits;
}

static double of_bits(unsigned long long bits) {
    union view view;
    view.bits = bits;
    return view.value;
}

static int is_nan(double x) { return x != x; }
static int is_infinite(double x) { return bits_of(x) << 1 == 0xffe0000000000000ULL; }

// What the processor makes of an invalid operation.
static double invalid(void) {
    *__errno_location() = 33;
    return of_bits(0xfff8000000000000ULL);
}

/// fabs: exact
double fabs(double x) { return of_bits(bits_of(x) & ~(1ULL << 63)); }

/// copysign: exact
double copysign(double x, double y) { return of_bits((bits_of(x) & ~(1ULL << 63)) | (bits_of(y) & 1ULL << 63)); }

/// sqrt: exact
double sqrt(double x) { return x < 0 ? invalid() : __unpick_sqrt(x); }

/// floor: exact
double floor(double x) { return __unpick_floor(x); }

/// ceil: exact
double ceil(double x) { return __unpick_ceil(x); }

/// trunc: exact
double trunc(double x) { return __unpick_trunc(x); }

/// round: exact
double round(double x) { return __unpick_round(x); }

/// rint: exact — rounding to nearest
double rint(double x) { return __unpick_rint(x); }

/// nearbyint: exact — rounding to nearest
double nearbyint(double x) { return __unpick_rint(x); }

/// roundeven: exact
double roundeven(double x) { return __unpick_rint(x); }

// Values no integer of the type can hold become its least one, as the processor does it.
static long to_long(double x) {
    double limit = sizeof(long) == 8 ? 9223372036854775808.0 : 2147483648.0;
    if (x >= limit || x < -limit || is_nan(x)) return -(long)(~0UL >> 1) - 1;
    return (long)x;
}

static long long to_long_long(double x) {
    if (x >= 9223372036854775808.0 || x < -9223372036854775808.0 || is_nan(x)) return -(long long)(~0ULL >> 1) - 1;
    return (long long)x;
}

/// lround: exact
long lround(double x) { return to_long(__unpick_round(x)); }

/// llround: exact
long long llround(double x) { return to_long_long(__unpick_round(x)); }

/// lrint: exact — rounding to nearest
long lrint(double x) { return to_long(__unpick_rint(x)); }

/// llrint: exact — rounding to nearest
long long llrint(double x) { return to_long_long(__unpick_rint(x)); }

/// fmod: exact
double fmod(double x, double y) {
    if (is_nan(x) || is_nan(y)) return x + y;
    if (is_infinite(x) || y == 0) return invalid();
    return __unpick_fmod(x, y);
}

// `fabs(x)` and `fabs(y)` with the parity of the quotient; the remainder of least magnitude, ties to even.
static double nearest_remainder(double x, double y) {
    double magnitude = fabs(x), divisor = fabs(y);
    // Doubling the divisor is exact unless it overflows, and then the dividend is already below it.
    if (divisor <= 8.98846567431158e307) magnitude = __unpick_fmod(magnitude, divisor + divisor);
    if (divisor < 4.450147717014403e-308) {
        if (magnitude + magnitude > divisor) {
            magnitude -= divisor;
            if (magnitude + magnitude >= divisor) magnitude -= divisor;
        }
    } else {
        double half = 0.5 * divisor;
        if (magnitude > half) {
            magnitude -= divisor;
            if (magnitude >= half) magnitude -= divisor;
        }
    }
    if (magnitude == 0) magnitude = 0;
    return bits_of(x) >> 63 ? -magnitude : magnitude;
}

/// remainder: exact
double remainder(double x, double y) {
    if (is_nan(x) || is_nan(y)) return x + y;
    if (is_infinite(x) || y == 0) return invalid();
    if (is_infinite(y)) return x;
    return nearest_remainder(x, y);
}

/// drem: exact
double drem(double x, double y) { return remainder(x, y); }

/// frexp: exact
double frexp(double x, int *exponent) {
    unsigned long long bits = bits_of(x);
    int biased = (int)(bits >> 52) & 2047;
    *exponent = 0;
    if (biased == 2047 || x == 0) return x + x;
    int extra = 0;
    if (biased == 0) {
        bits = bits_of(x * 18014398509481984.0);
        biased = (int)(bits >> 52) & 2047;
        extra = -54;
    }
    *exponent = biased - 1022 + extra;
    return of_bits((bits & 0x800fffffffffffffULL) | 0x3fe0000000000000ULL);
}

// Mantissa below 2^53 times 2^exponent, rounded once.
static double compose(int is_negative, unsigned long long mantissa, int exponent) {
    unsigned long long sign = (unsigned long long)is_negative << 63;
    int top = 63 - __builtin_clzll(mantissa);
    mantissa <<= 52 - top;
    exponent -= 52 - top;
    if (exponent > 971) return of_bits(sign | 0x7ff0000000000000ULL);
    if (exponent >= -1074)
        return of_bits(sign | (unsigned long long)(exponent + 1075) << 52 | (mantissa & 0xfffffffffffffULL));
    int dropped = -1074 - exponent;
    if (dropped > 53) return of_bits(sign);
    unsigned long long kept = mantissa >> dropped, tail = mantissa & ((1ULL << dropped) - 1);
    unsigned long long half = 1ULL << (dropped - 1);
    if (tail > half || (tail == half && (kept & 1) != 0)) kept++;
    return of_bits(sign | kept);
}

/// scalbn: exact
double scalbn(double x, int n) {
    if (x == 0 || is_nan(x) || is_infinite(x)) return x + x;
    unsigned long long bits = bits_of(x);
    int biased = (int)(bits >> 52) & 2047;
    unsigned long long mantissa = bits & 0xfffffffffffffULL;
    if (biased == 0) biased = 1;
    else mantissa |= 1ULL << 52;
    if (n > 5000) n = 5000;
    if (n < -5000) n = -5000;
    double result = compose((int)(bits >> 63), mantissa, biased - 1075 + n);
    if (result == 0 || is_infinite(result)) *__errno_location() = 34;
    return result;
}

/// scalbln: exact
double scalbln(double x, long n) { return scalbn(x, n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n); }

/// ldexp: exact
double ldexp(double x, int n) { return scalbn(x, n); }

/// modf: exact
double modf(double x, double *whole) {
    *whole = __unpick_trunc(x);
    if (is_infinite(x)) return copysign(0, x);
    return copysign(x - *whole, x);
}

static int is_signalling(double x) { return is_nan(x) && (bits_of(x) >> 51 & 1) == 0; }

/// fmin: exact
double fmin(double x, double y) {
    if (is_signalling(x) || is_signalling(y)) return x + y;
    if (is_nan(x)) return y;
    if (is_nan(y)) return x;
    return x < y ? x : y;
}

/// fmax: exact
double fmax(double x, double y) {
    if (is_signalling(x) || is_signalling(y)) return x + y;
    if (is_nan(x)) return y;
    if (is_nan(y)) return x;
    return x > y ? x : y;
}

/// fdim: exact
double fdim(double x, double y) {
    if (x <= y) return 0;
    double difference = x - y;
    if (is_infinite(difference) && !is_infinite(x) && !is_infinite(y)) *__errno_location() = 34;
    return difference;
}

/// nextafter: exact
double nextafter(double x, double y) {
    if (is_nan(x) || is_nan(y)) return x + y;
    if (x == y) return y;
    if (x == 0) {
        *__errno_location() = 34;
        return copysign(of_bits(1), y);
    }
    unsigned long long bits = bits_of(x);
    double next = of_bits((x < y) == (x > 0) ? bits + 1 : bits - 1);
    if (is_infinite(next) || fabs(next) < 2.2250738585072014e-308) *__errno_location() = 34;
    return next;
}

/// ilogb: exact
int ilogb(double x) {
    int exponent;
    if (x == 0 || is_nan(x) || is_infinite(x)) {
        *__errno_location() = 33;
        return is_infinite(x) ? 2147483647 : -2147483647 - 1;
    }
    frexp(x, &exponent);
    return exponent - 1;
}

/// logb: exact
double logb(double x) {
    if (x == 0) {
        *__errno_location() = 34;
        return of_bits(0xfff0000000000000ULL);
    }
    if (is_nan(x) || is_infinite(x)) return x * x;
    return ilogb(x);
}

/// nan: exact — without a payload
double nan(const char *tag) {
    (void)tag;
    return of_bits(0x7ff8000000000000ULL);
}

/// __isnan: exact
int __isnan(double x) { return is_nan(x); }

/// isnan: exact
int isnan(double x) { return is_nan(x); }

/// __isinf: exact
int __isinf(double x) { return !is_infinite(x) ? 0 : x > 0 ? 1 : -1; }

/// isinf: exact
int isinf(double x) { return __isinf(x); }

/// __finite: exact
int __finite(double x) { return (bits_of(x) >> 52 & 2047) != 2047; }

/// finite: exact
int finite(double x) { return __finite(x); }

/// __signbit: exact
int __signbit(double x) { return bits_of(x) >> 63 ? 128 : 0; }

/// __fpclassify: exact
int __fpclassify(double x) {
    if (is_nan(x)) return 0;
    if (is_infinite(x)) return 1;
    if (x == 0) return 2;
    return (bits_of(x) >> 52 & 2047) == 0 ? 3 : 4;
}

//! header: math.h
// The same for `long double` (64 bits of mantissa), on whole numbers where 64 bits suffice.

union view {
    long double value;
    struct {
        unsigned long long mantissa;
        unsigned short exponent;
    } words;
};

static int is_negative(long double x) {
    union view view = {x};
    return view.words.exponent >> 15;
}

/// fabsl: exact
long double fabsl(long double x) { return is_negative(x) ? -x : x; }

/// copysignl: exact
long double copysignl(long double x, long double y) { return is_negative(x) == is_negative(y) ? x : -x; }

/// truncl: exact
long double truncl(long double x) {
    // From 2^63 on every number is whole.
    if (!(x > -9223372036854775808.0L && x < 9223372036854775808.0L)) return x;
    return copysignl((long double)(long long)x, x);
}

/// floorl: exact
long double floorl(long double x) {
    long double whole = truncl(x);
    return whole > x ? whole - 1 : whole;
}

/// ceill: exact
long double ceill(long double x) {
    long double whole = truncl(x);
    return whole < x ? copysignl(whole + 1, x) : whole;
}

/// roundl: exact
long double roundl(long double x) {
    long double whole = truncl(x), rest = fabsl(x - whole);
    if (!(rest >= 0.5L) || rest > 1) return whole;
    return is_negative(x) ? whole - 1 : whole + 1;
}

/// rintl: exact — rounding to nearest
long double rintl(long double x) {
    long double whole = truncl(x), rest = fabsl(x - whole);
    if (!(rest >= 0.5L) || rest > 1) return whole;
    if (rest == 0.5L && (long long)whole % 2 == 0) return whole;
    return is_negative(x) ? whole - 1 : whole + 1;
}

/// nearbyintl: exact — rounding to nearest
long double nearbyintl(long double x) { return rintl(x); }

/// fminl: exact
long double fminl(long double x, long double y) { return x != x ? y : y != y ? x : x < y ? x : y; }

/// fmaxl: exact
long double fmaxl(long double x, long double y) { return x != x ? y : y != y ? x : x > y ? x : y; }

/// modfl: exact
long double modfl(long double x, long double *whole) {
    *whole = truncl(x);
    return copysignl(x - x != 0 && x == x ? 0 : x - *whole, x);
}

/// __isnanl: exact
int __isnanl(long double x) { return x != x; }

/// __isinfl: exact
int __isinfl(long double x) { return x == x && x - x != 0 ? (x > 0 ? 1 : -1) : 0; }

/// __finitel: exact
int __finitel(long double x) { return x - x == 0; }

/// __signbitl: exact
int __signbitl(long double x) { return is_negative(x) ? 128 : 0; }

/// __fpclassifyl: exact
int __fpclassifyl(long double x) {
    if (x != x) return 0;
    if (x - x != 0) return 1;
    if (x == 0) return 2;
    return fabsl(x) < 3.3621031431120935063e-4932L ? 3 : 4;
}

/// sqrtl: unmodelled
long double sqrtl(long double x) {
    __unpick_unmodelled("math function sqrtl");
    return x;
}

/// expl: unmodelled
long double expl(long double x) {
    __unpick_unmodelled("math function expl");
    return x;
}

/// logl: unmodelled
long double logl(long double x) {
    __unpick_unmodelled("math function logl");
    return x;
}

/// log2l: unmodelled
long double log2l(long double x) {
    __unpick_unmodelled("math function log2l");
    return x;
}

/// log10l: unmodelled
long double log10l(long double x) {
    __unpick_unmodelled("math function log10l");
    return x;
}

/// sinl: unmodelled
long double sinl(long double x) {
    __unpick_unmodelled("math function sinl");
    return x;
}

/// cosl: unmodelled
long double cosl(long double x) {
    __unpick_unmodelled("math function cosl");
    return x;
}

/// tanl: unmodelled
long double tanl(long double x) {
    __unpick_unmodelled("math function tanl");
    return x;
}

/// cbrtl: unmodelled
long double cbrtl(long double x) {
    __unpick_unmodelled("math function cbrtl");
    return x;
}

/// powl: unmodelled
long double powl(long double x, long double y) {
    __unpick_unmodelled("math function powl");
    return x + y;
}

/// fmodl: unmodelled
long double fmodl(long double x, long double y) {
    __unpick_unmodelled("math function fmodl");
    return x + y;
}

/// hypotl: unmodelled
long double hypotl(long double x, long double y) {
    __unpick_unmodelled("math function hypotl");
    return x + y;
}

/// atan2l: unmodelled
long double atan2l(long double x, long double y) {
    __unpick_unmodelled("math function atan2l");
    return x + y;
}

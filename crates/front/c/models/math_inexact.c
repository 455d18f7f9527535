//! header: math.h
// Functions whose results no standard fixes: they are modelled where the true result is a number of the format, which
// every library of less than one unit of error returns, and unmodelled elsewhere.

int *__errno_location(void);
double trunc(double x);
double frexp(double x, int *exponent);
double scalbn(double x, int n);
double fabs(double x);

// base^exponent for an odd base, if it stays below 2^53; otherwise 0.
static unsigned long long integer_power(unsigned long long base, unsigned exponent) {
    unsigned long long result = 1;
    if (base == 1) return 1;
    for (; exponent != 0; exponent--) {
        if (result > (1ULL << 53) / base) return 0;
        result *= base;
    }
    return result;
}

static int is_finite(double x) { return x - x == 0; }

/// pow: bounded — where the result is exact; otherwise unmodelled
double pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (y == 1) return x;
    if (is_finite(x) && is_finite(y) && x != 0 && y == trunc(y) && fabs(y) < 1100) {
        int exponent, power = (int)y;
        // x = odd * 2^exponent
        unsigned long long odd = (unsigned long long)(fabs(frexp(x, &exponent)) * 9007199254740992.0);
        exponent -= 53;
        exponent += __builtin_ctzll(odd);
        odd >>= __builtin_ctzll(odd);
        unsigned magnitude = (unsigned)(power < 0 ? -power : power);
        unsigned long long product = power < 0 && odd != 1 ? 0 : integer_power(odd, magnitude);
        int scale = exponent * power;
        if (product != 0 && scale >= -1022 && scale <= 900) {
            double result = scalbn((double)product, scale);
            return x < 0 && power % 2 != 0 ? -result : result;
        }
    }
    if (x == 0 && y > 0 && is_finite(y) && y == trunc(y) && fabs(y) < 1e9) return (int)y % 2 != 0 ? x : 0;
    __unpick_unmodelled("math function pow with an inexact result");
    return x;
}

/// powf: bounded — where the result is exact; otherwise unmodelled
float powf(float x, float y) {
    double result = pow(x, y);
    if (result == (float)result) return (float)result;
    __unpick_unmodelled("math function powf with an inexact result");
    return x;
}

/// exp2: bounded — for whole numbers; otherwise unmodelled
double exp2(double x) {
    if (x == trunc(x) && fabs(x) < 1000) return scalbn(1, (int)x);
    __unpick_unmodelled("math function exp2 with an inexact result");
    return x;
}

/// log2: bounded — for powers of two; otherwise unmodelled
double log2(double x) {
    int exponent;
    if (x > 0 && is_finite(x) && frexp(x, &exponent) == 0.5) return exponent - 1;
    __unpick_unmodelled("math function log2 with an inexact result");
    return x;
}

/// log10: bounded — for powers of ten; otherwise unmodelled
double log10(double x) {
    double ten = 1;
    for (int i = 0; i < 23; i++, ten *= 10)
        if (x == ten) return i;
    __unpick_unmodelled("math function log10 with an inexact result");
    return x;
}

/// hypot: bounded — where one side is zero or all are small whole numbers; otherwise unmodelled
double hypot(double x, double y) {
    if (x == 0) return fabs(y);
    if (y == 0) return fabs(x);
    if (x == trunc(x) && y == trunc(y) && fabs(x) < 30000000 && fabs(y) < 30000000) {
        double square = x * x + y * y, root = __unpick_sqrt(square);
        if (root * root == square && root == trunc(root)) return root;
    }
    __unpick_unmodelled("math function hypot with an inexact result");
    return x;
}

/// cbrt: unmodelled — glibc's is off by one unit even for cubes
double cbrt(double x) {
    if (x == 0 || !is_finite(x)) return x + x;
    __unpick_unmodelled("math function cbrt");
    return x;
}

/// exp: bounded — only at 0; otherwise unmodelled
double exp(double x) {
    if (x == 0) return 1;
    __unpick_unmodelled("math function exp");
    return x;
}

/// expf: bounded — only at 0; otherwise unmodelled
float expf(float x) { return (float)exp(x); }

/// expm1: bounded — only at 0; otherwise unmodelled
double expm1(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function expm1");
    return x;
}

/// expm1f: bounded — only at 0; otherwise unmodelled
float expm1f(float x) { return (float)expm1(x); }

/// log: bounded — only at 1; otherwise unmodelled
double log(double x) {
    if (x == 1) return 0;
    __unpick_unmodelled("math function log");
    return x;
}

/// logf: bounded — only at 1; otherwise unmodelled
float logf(float x) { return (float)log(x); }

/// log1p: bounded — only at 0; otherwise unmodelled
double log1p(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function log1p");
    return x;
}

/// log1pf: bounded — only at 0; otherwise unmodelled
float log1pf(float x) { return (float)log1p(x); }

/// sin: bounded — only at 0; otherwise unmodelled
double sin(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function sin");
    return x;
}

/// sinf: bounded — only at 0; otherwise unmodelled
float sinf(float x) { return (float)sin(x); }

/// cos: bounded — only at 0; otherwise unmodelled
double cos(double x) {
    if (x == 0) return 1;
    __unpick_unmodelled("math function cos");
    return x;
}

/// cosf: bounded — only at 0; otherwise unmodelled
float cosf(float x) { return (float)cos(x); }

/// tan: bounded — only at 0; otherwise unmodelled
double tan(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function tan");
    return x;
}

/// tanf: bounded — only at 0; otherwise unmodelled
float tanf(float x) { return (float)tan(x); }

/// asin: bounded — only at 0; otherwise unmodelled
double asin(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function asin");
    return x;
}

/// asinf: bounded — only at 0; otherwise unmodelled
float asinf(float x) { return (float)asin(x); }

/// acos: bounded — only at 1; otherwise unmodelled
double acos(double x) {
    if (x == 1) return 0;
    __unpick_unmodelled("math function acos");
    return x;
}

/// acosf: bounded — only at 1; otherwise unmodelled
float acosf(float x) { return (float)acos(x); }

/// atan: bounded — only at 0; otherwise unmodelled
double atan(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function atan");
    return x;
}

/// atanf: bounded — only at 0; otherwise unmodelled
float atanf(float x) { return (float)atan(x); }

/// sinh: bounded — only at 0; otherwise unmodelled
double sinh(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function sinh");
    return x;
}

/// sinhf: bounded — only at 0; otherwise unmodelled
float sinhf(float x) { return (float)sinh(x); }

/// cosh: bounded — only at 0; otherwise unmodelled
double cosh(double x) {
    if (x == 0) return 1;
    __unpick_unmodelled("math function cosh");
    return x;
}

/// coshf: bounded — only at 0; otherwise unmodelled
float coshf(float x) { return (float)cosh(x); }

/// tanh: bounded — only at 0; otherwise unmodelled
double tanh(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function tanh");
    return x;
}

/// tanhf: bounded — only at 0; otherwise unmodelled
float tanhf(float x) { return (float)tanh(x); }

/// asinh: bounded — only at 0; otherwise unmodelled
double asinh(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function asinh");
    return x;
}

/// asinhf: bounded — only at 0; otherwise unmodelled
float asinhf(float x) { return (float)asinh(x); }

/// acosh: bounded — only at 1; otherwise unmodelled
double acosh(double x) {
    if (x == 1) return 0;
    __unpick_unmodelled("math function acosh");
    return x;
}

/// acoshf: bounded — only at 1; otherwise unmodelled
float acoshf(float x) { return (float)acosh(x); }

/// atanh: bounded — only at 0; otherwise unmodelled
double atanh(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function atanh");
    return x;
}

/// atanhf: bounded — only at 0; otherwise unmodelled
float atanhf(float x) { return (float)atanh(x); }

/// erf: bounded — only at 0; otherwise unmodelled
double erf(double x) {
    if (x == 0) return x;
    __unpick_unmodelled("math function erf");
    return x;
}

/// erff: bounded — only at 0; otherwise unmodelled
float erff(float x) { return (float)erf(x); }

/// erfc: bounded — only at 0; otherwise unmodelled
double erfc(double x) {
    if (x == 0) return 1;
    __unpick_unmodelled("math function erfc");
    return x;
}

/// erfcf: bounded — only at 0; otherwise unmodelled
float erfcf(float x) { return (float)erfc(x); }

/// lgamma: unmodelled
double lgamma(double x) {
    __unpick_unmodelled("math function lgamma");
    return x;
}

/// tgamma: unmodelled
double tgamma(double x) {
    __unpick_unmodelled("math function tgamma");
    return x;
}

/// exp10: unmodelled
double exp10(double x) {
    __unpick_unmodelled("math function exp10");
    return x;
}

/// atan2: unmodelled
double atan2(double y, double x) {
    __unpick_unmodelled("math function atan2");
    return y + x;
}

/// fma: unmodelled
double fma(double x, double y, double z) {
    __unpick_unmodelled("math function fma");
    return x * y + z;
}

/// exp2f: bounded — for whole numbers; otherwise unmodelled
float exp2f(float x) { return (float)exp2(x); }

/// log2f: bounded — for powers of two; otherwise unmodelled
float log2f(float x) { return (float)log2(x); }

/// log10f: bounded — for powers of ten; otherwise unmodelled
float log10f(float x) { return (float)log10(x); }

/// hypotf: bounded — as hypot
float hypotf(float x, float y) { return (float)hypot(x, y); }

/// cbrtf: unmodelled
float cbrtf(float x) { return (float)cbrt(x); }

/// fmaf: unmodelled
float fmaf(float x, float y, float z) {
    __unpick_unmodelled("math function fmaf");
    return x * y + z;
}

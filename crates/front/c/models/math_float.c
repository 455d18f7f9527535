//! header: math.h
// The same for `float`: every result is that of the double operation, which is exact or rounds once more without
// harm, as for the square root.

double sqrt(double x);
double floor(double x);
double ceil(double x);
double trunc(double x);
double round(double x);
double rint(double x);
double nearbyint(double x);
double roundeven(double x);
double fabs(double x);
double fmod(double x, double y);
double remainder(double x, double y);
double copysign(double x, double y);
double fmin(double x, double y);
double fmax(double x, double y);
double scalbn(double x, int n);
double frexp(double x, int *exponent);
int ilogb(double x);
long lround(double x);
long long llround(double x);
long lrint(double x);
long long llrint(double x);
int *__errno_location(void);

/// sqrtf: exact
float sqrtf(float x) { return (float)sqrt(x); }

/// floorf: exact
float floorf(float x) { return (float)floor(x); }

/// ceilf: exact
float ceilf(float x) { return (float)ceil(x); }

/// truncf: exact
float truncf(float x) { return (float)trunc(x); }

/// roundf: exact
float roundf(float x) { return (float)round(x); }

/// rintf: exact
float rintf(float x) { return (float)rint(x); }

/// nearbyintf: exact
float nearbyintf(float x) { return (float)nearbyint(x); }

/// roundevenf: exact
float roundevenf(float x) { return (float)roundeven(x); }

/// fabsf: exact
float fabsf(float x) { return (float)fabs(x); }

/// fmodf: exact
float fmodf(float x, float y) { return (float)fmod(x, y); }

/// remainderf: exact
float remainderf(float x, float y) { return (float)remainder(x, y); }

/// copysignf: exact
float copysignf(float x, float y) { return (float)copysign(x, y); }

/// fminf: exact
float fminf(float x, float y) { return (float)fmin(x, y); }

/// fmaxf: exact
float fmaxf(float x, float y) { return (float)fmax(x, y); }

/// lroundf: exact
long lroundf(float x) { return lround(x); }

/// llroundf: exact
long long llroundf(float x) { return llround(x); }

/// lrintf: exact
long lrintf(float x) { return lrint(x); }

/// llrintf: exact
long long llrintf(float x) { return llrint(x); }

/// fdimf: exact
float fdimf(float x, float y) { return x <= y ? 0 : x - y; }

/// scalbnf: exact
float scalbnf(float x, int n) {
    // The double holds every float times a power of two near the range of float, so one rounding remains.
    float result = (float)scalbn(x, n > 400 ? 400 : n < -400 ? -400 : n);
    if (x != 0 && x - x == 0 && (result == 0 || result - result != 0)) *__errno_location() = 34;
    return result;
}

/// ldexpf: exact
float ldexpf(float x, int n) { return scalbnf(x, n); }

/// frexpf: exact
float frexpf(float x, int *exponent) { return (float)frexp(x, exponent); }

/// modff: exact
float modff(float x, float *whole) {
    *whole = truncf(x);
    return copysignf(x - x != 0 && x == x ? 0 : x - *whole, x);
}

/// ilogbf: exact
int ilogbf(float x) { return ilogb(x); }

/// nextafterf: exact
float nextafterf(float x, float y) {
    union {
        float value;
        unsigned bits;
    } view = {x};
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) {
        view.bits = 1;
        *__errno_location() = 34;
        return copysignf(view.value, y);
    }
    view.bits += (x < y) == (x > 0) ? 1 : -1u;
    if (view.value - view.value != 0 || fabsf(view.value) < 1.17549435e-38f) *__errno_location() = 34;
    return view.value;
}

/// __isnanf: exact
int __isnanf(float x) { return x != x; }

/// __isinff: exact
int __isinff(float x) { return x == x && x - x != 0 ? (x > 0 ? 1 : -1) : 0; }

/// __finitef: exact
int __finitef(float x) { return x - x == 0; }

/// __signbitf: exact
int __signbitf(float x) {
    union {
        float value;
        unsigned bits;
    } view = {x};
    return view.bits >> 31 ? 8 : 0;
}

/// __fpclassifyf: exact
int __fpclassifyf(float x) {
    if (x != x) return 0;
    if (x - x != 0) return 1;
    if (x == 0) return 2;
    return fabsf(x) < 1.17549435e-38f ? 3 : 4;
}

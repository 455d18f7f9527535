// The intrinsics, natively, under the prefix that every symbol of the models carries in this program, and the
// comparison of each model with the C library.
#define _GNU_SOURCE
#include "driver.h"

int n_failures;
static int options_on;

void *model___unpick_alloc(size_t bytes, size_t align, int contents) {
    if (align < 16) align = 16;
    void *p = aligned_alloc(align, (bytes + 16 + align - 1) / align * align);
    memset(p, contents == 1 ? 0 : 0xa5, bytes);
    return p;
}
void model___unpick_free(void *p) { free(p); }
size_t model___unpick_object_size(const void *p) { return malloc_usable_size((void *)p); }
void model___unpick_memcpy(void *to, const void *from, size_t n) {
    const char *a = to, *b = from;
    if (a < b + n && b < a + n) fail("overlapping copy");
    memcpy(to, from, n);
}
void model___unpick_memmove(void *to, const void *from, size_t n) { memmove(to, from, n); }
void model___unpick_memset(void *to, int c, size_t n) { memset(to, c, n); }
void model___unpick_memany(void *p, size_t n) { memset(p, 90, n); }
size_t model___unpick_writable(const void *p) { return malloc_usable_size((void *)p); }
char output[1 << 16];
size_t n_output;
void model___unpick_output(int stream, const void *p, size_t n) {
    (void)stream;
    if (n_output + n > sizeof output) fail("too much output");
    memcpy(output + n_output, p, n);
    n_output += n;
}
void model___unpick_exit(int code) { exit(code); }
void model___unpick_abort(void) { abort(); }
void model___unpick_fail(const char *kind, const char *message) { fail("%s: %s", kind, message); }
void model___unpick_unmodelled(const char *what) { fail("unmodelled: %s", what); }
void model___unpick_note(const char *what) { (void)what; }
int model___unpick_option(const char *name) { return options_on && strcmp(name, "rand-seeded") == 0; }
// Threads are not compared with the C library: these only let the models link.
void model___unpick_atomic_begin(void) {}
void model___unpick_atomic_end(void) {}
void model___unpick_wait(int c) { if (!c) fail("blocked"); }
int model___unpick_spawn(void) { fail("no threads here"); return 0; }
int model___unpick_self(void) { return 0; }
int model___unpick_ended(int thread) { (void)thread; return 1; }
void model___unpick_taken(void *lock, int is_exclusive) { (void)lock; (void)is_exclusive; }
void model___unpick_got(void *lock, int is_exclusive) { (void)lock; (void)is_exclusive; }
void model___unpick_given_back(void *lock, int is_exclusive) { (void)lock; (void)is_exclusive; }
void model___unpick_long_jump(void *buffer, int value) { (void)buffer, (void)value; exit(3); }
void model___unpick_end_thread(void) { exit(3); }
double model___unpick_sqrt(double x) { return sqrt(x); }
double model___unpick_floor(double x) { return floor(x); }
double model___unpick_ceil(double x) { return ceil(x); }
double model___unpick_trunc(double x) { return trunc(x); }
double model___unpick_round(double x) { return round(x); }
double model___unpick_rint(double x) { return rint(x); }
double model___unpick_fmod(double x, double y) { return fmod(x, y); }
void model___VERIFIER_assume(int c) {
    if (!c) fail("an assumption of a model failed natively");
}
_Bool model___VERIFIER_nondet_bool(void) { return random_bits() & 1; }
int model___VERIFIER_nondet_int(void) { return (int)(random_bits() % 200); }
unsigned model___VERIFIER_nondet_uint(void) { return (unsigned)random_bits(); }
long model___VERIFIER_nondet_long(void) { return (long)(random_bits() >> 1); }
unsigned char model___VERIFIER_nondet_uchar(void) { return (unsigned char)random_bits(); }
char model___VERIFIER_nondet_char(void) { return (char)random_bits(); }
unsigned long long model___VERIFIER_nondet_ulonglong(void) { return random_bits(); }
long long model___VERIFIER_nondet_longlong(void) { return (long long)random_bits(); }
double model___VERIFIER_nondet_double(void) { return 0; }
float model___VERIFIER_nondet_float(void) { return 0; }
unsigned short model___VERIFIER_nondet_ushort(void) { return (unsigned short)random_bits(); }
unsigned long model___VERIFIER_nondet_ulong(void) { return random_bits(); }

void fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (n_failures < 40) {
        vprintf(format, list);
        printf("\n");
    }
    va_end(list);
    n_failures++;
}

unsigned long long random_bits(void) {
    static unsigned long long state = 88172645463325252ULL;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 2685821657736338717ULL;
}

double random_double(void) {
    union {
        unsigned long long bits;
        double value;
    } view = {random_bits()};
    switch (random_bits() % 8) {
    case 0: return (double)(long long)(random_bits() >> (random_bits() % 64));
    case 1: return (double)(int)random_bits() / 1000;
    case 2: view.bits &= 0x800fffffffffffffULL; return view.value;
    case 3: return (double)(random_bits() % 2001) / 8 - 125;
    case 4: view.bits = (view.bits & 0x8000000000000000ULL) | (random_bits() % 3 ? 0x7ff0000000000000ULL : 0);
            if (random_bits() % 4 == 0) view.bits |= 0x7ff8000000000000ULL;
            return view.value;
    case 5: return ldexp((double)(random_bits() % 1024), (int)(random_bits() % 200) - 100);
    default: return view.value;
    }
}

long double random_long_double(void) {
    switch (random_bits() % 4) {
    case 0: return random_double();
    case 1: return ldexpl((long double)random_bits(), (int)(random_bits() % 200) - 100);
    case 2: return (long double)random_bits() / 1000;
    default: return ldexpl((long double)random_bits(), (int)(random_bits() % 32700) - 16400);
    }
}

int main(void) {
    test_strings();
    test_formats();
    test_numbers();
    test_scans();
    test_mathematics();
    options_on = 1;
    test_library();
    if (n_failures != 0) printf("%d failures\n", n_failures);
    return n_failures != 0;
}

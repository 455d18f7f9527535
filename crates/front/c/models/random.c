//! header: stdlib.h
// Random numbers. A check looks at every sequence: each call yields any value of the range. With the option
// "rand-seeded" (the default of `simulate`) the sequences are those of glibc: an additive generator over 31 words
// for rand and random, linear congruences for the others.
typedef __typeof__(sizeof 0) size_t;

static unsigned words[31];
static int position;
static int is_seeded;
static char shared_sequence;

// C lets rand and srand of several threads race.
static void share(void) {
    if (__unpick_option("library-races")) shared_sequence = !shared_sequence;
}

static void seed_words(unsigned seed) {
    int word = seed == 0 ? 1 : (int)seed;
    words[0] = (unsigned)word;
    for (int i = 1; i < 31; i++) {
        word = 16807 * (word % 127773) - 2836 * (word / 127773);
        if (word < 0) word += 2147483647;
        words[i] = (unsigned)word;
    }
    position = 3;
    is_seeded = 1;
}

// The word of 31 steps ago, at `position`, plus the word of 3 steps ago.
static unsigned step(void) {
    int recent = position >= 3 ? position - 3 : position + 28;
    words[position] += words[recent];
    unsigned result = words[position] >> 1;
    position = position == 30 ? 0 : position + 1;
    return result;
}

static void seed(unsigned seed) {
    if (!__unpick_option("rand-seeded")) return;
    seed_words(seed);
    for (int i = 0; i < 310; i++) step();
}

static int next(void) {
    if (__unpick_option("rand-seeded")) {
        if (!is_seeded) seed(1);
        return (int)step();
    }
    int any = __VERIFIER_nondet_int();
    __VERIFIER_assume(any >= 0);
    return any;
}

/// rand: any value — glibc's own sequence when seeded
int rand(void) {
    share();
    return next();
}

/// srand: exact
void srand(unsigned number) {
    share();
    seed(number);
}

/// random: any value — glibc's own sequence when seeded
long random(void) { return next(); }

/// srandom: exact
void srandom(unsigned number) { seed(number); }

/// rand_r: any value — glibc's own sequence when seeded
int rand_r(unsigned *number) {
    if (!__unpick_option("rand-seeded")) {
        *number = __VERIFIER_nondet_uint();
        return next();
    }
    unsigned state = *number * 1103515245 + 12345;
    unsigned result = state / 65536 % 2048;
    state = state * 1103515245 + 12345;
    result = result << 10 ^ state / 65536 % 1024;
    state = state * 1103515245 + 12345;
    result = result << 10 ^ state / 65536 % 1024;
    *number = state;
    return (int)result;
}

// 48 bits; srand48(0) is not the state before any seeding, which glibc starts at zero.
static unsigned long long state48;
static unsigned long long factor48 = 0x5deece66dULL;
static unsigned short increment48 = 11;

static unsigned long long step48(unsigned long long state) {
    if (!__unpick_option("rand-seeded")) {
        unsigned long long any = __VERIFIER_nondet_ulonglong();
        __VERIFIER_assume(any < 1ULL << 48);
        return any;
    }
    return (state * factor48 + increment48) & 0xffffffffffffULL;
}

static unsigned long long load48(const unsigned short words48[3]) {
    return words48[0] | (unsigned long long)words48[1] << 16 | (unsigned long long)words48[2] << 32;
}

static unsigned long long step_at(unsigned short words48[3]) {
    unsigned long long state = step48(load48(words48));
    words48[0] = (unsigned short)state;
    words48[1] = (unsigned short)(state >> 16);
    words48[2] = (unsigned short)(state >> 32);
    return state;
}

/// srand48: exact
void srand48(long number) {
    state48 = (unsigned long long)(unsigned)number << 16 | 0x330e;
    factor48 = 0x5deece66dULL;
    increment48 = 11;
}

/// seed48: exact
unsigned short *seed48(unsigned short words48[3]) {
    static unsigned short old[3];
    old[0] = (unsigned short)state48;
    old[1] = (unsigned short)(state48 >> 16);
    old[2] = (unsigned short)(state48 >> 32);
    state48 = load48(words48);
    factor48 = 0x5deece66dULL;
    increment48 = 11;
    return old;
}

/// lcong48: exact
void lcong48(unsigned short parameters[7]) {
    state48 = load48(parameters);
    factor48 = load48(parameters + 3);
    increment48 = parameters[6];
}

/// drand48: any value — glibc's own sequence when seeded
double drand48(void) {
    state48 = step48(state48);
    return (double)state48 / 281474976710656.0;
}

/// erand48: any value — glibc's own sequence when seeded
double erand48(unsigned short words48[3]) { return (double)step_at(words48) / 281474976710656.0; }

/// lrand48: any value — glibc's own sequence when seeded
long lrand48(void) {
    state48 = step48(state48);
    return (long)(state48 >> 17);
}

/// nrand48: any value — glibc's own sequence when seeded
long nrand48(unsigned short words48[3]) { return (long)(step_at(words48) >> 17); }

/// mrand48: any value — glibc's own sequence when seeded
long mrand48(void) {
    state48 = step48(state48);
    return (int)(unsigned)(state48 >> 16);
}

/// jrand48: any value — glibc's own sequence when seeded
long jrand48(unsigned short words48[3]) { return (int)(unsigned)(step_at(words48) >> 16); }

/// getrandom: any value
long getrandom(void *buffer, size_t n, unsigned flags) {
    (void)flags;
    for (size_t i = 0; i < n; i++) ((unsigned char *)buffer)[i] = __VERIFIER_nondet_uchar();
    return (long)n;
}

/// arc4random: any value
unsigned arc4random(void) { return __VERIFIER_nondet_uint(); }

//! header: clang
// Functions that clang has built in and gcc has not: rotation, reversal of bits, sums with carry.

/// __builtin_rotateleft8: exact — by any amount, which counts modulo 8
unsigned char __builtin_rotateleft8(unsigned char x, unsigned char n) {
    n %= 8;
    return n ? (unsigned char)((unsigned)x << n | x >> (8 - n)) : x;
}

/// __builtin_rotateright8: exact — by any amount, which counts modulo 8
unsigned char __builtin_rotateright8(unsigned char x, unsigned char n) {
    n %= 8;
    return n ? (unsigned char)(x >> n | (unsigned)x << (8 - n)) : x;
}

/// __builtin_rotateleft16: exact — by any amount, which counts modulo 16
unsigned short __builtin_rotateleft16(unsigned short x, unsigned short n) {
    n %= 16;
    return n ? (unsigned short)((unsigned)x << n | x >> (16 - n)) : x;
}

/// __builtin_rotateright16: exact — by any amount, which counts modulo 16
unsigned short __builtin_rotateright16(unsigned short x, unsigned short n) {
    n %= 16;
    return n ? (unsigned short)(x >> n | (unsigned)x << (16 - n)) : x;
}

/// __builtin_rotateleft32: exact — by any amount, which counts modulo 32
unsigned __builtin_rotateleft32(unsigned x, unsigned n) {
    n %= 32;
    return n ? x << n | x >> (32 - n) : x;
}

/// __builtin_rotateright32: exact — by any amount, which counts modulo 32
unsigned __builtin_rotateright32(unsigned x, unsigned n) {
    n %= 32;
    return n ? x >> n | x << (32 - n) : x;
}

/// __builtin_rotateleft64: exact — by any amount, which counts modulo 64
unsigned long long __builtin_rotateleft64(unsigned long long x, unsigned long long n) {
    n %= 64;
    return n ? x << n | x >> (64 - n) : x;
}

/// __builtin_rotateright64: exact — by any amount, which counts modulo 64
unsigned long long __builtin_rotateright64(unsigned long long x, unsigned long long n) {
    n %= 64;
    return n ? x >> n | x << (64 - n) : x;
}

/// __builtin_bitreverse8: exact
unsigned char __builtin_bitreverse8(unsigned char x) {
    unsigned y = x;
    y = (y & 0x0FU) << 4 | (y >> 4 & 0x0FU);
    y = (y & 0x33U) << 2 | (y >> 2 & 0x33U);
    y = (y & 0x55U) << 1 | (y >> 1 & 0x55U);
    return (unsigned char)y;
}

/// __builtin_bitreverse16: exact
unsigned short __builtin_bitreverse16(unsigned short x) {
    unsigned y = __builtin_bswap16(x);
    y = (y & 0x0F0FU) << 4 | (y >> 4 & 0x0F0FU);
    y = (y & 0x3333U) << 2 | (y >> 2 & 0x3333U);
    y = (y & 0x5555U) << 1 | (y >> 1 & 0x5555U);
    return (unsigned short)y;
}

/// __builtin_bitreverse32: exact
unsigned __builtin_bitreverse32(unsigned x) {
    unsigned y = __builtin_bswap32(x);
    y = (y & 0x0F0F0F0FU) << 4 | (y >> 4 & 0x0F0F0F0FU);
    y = (y & 0x33333333U) << 2 | (y >> 2 & 0x33333333U);
    y = (y & 0x55555555U) << 1 | (y >> 1 & 0x55555555U);
    return y;
}

/// __builtin_bitreverse64: exact
unsigned long long __builtin_bitreverse64(unsigned long long x) {
    unsigned long long y = __builtin_bswap64(x);
    y = (y & 0x0F0F0F0F0F0F0F0FULL) << 4 | (y >> 4 & 0x0F0F0F0F0F0F0F0FULL);
    y = (y & 0x3333333333333333ULL) << 2 | (y >> 2 & 0x3333333333333333ULL);
    y = (y & 0x5555555555555555ULL) << 1 | (y >> 1 & 0x5555555555555555ULL);
    return y;
}

/// __builtin_addcb: exact
unsigned char __builtin_addcb(unsigned char x, unsigned char y, unsigned char in, unsigned char *out) {
    unsigned char first, second;
    _Bool is_first_out = __builtin_add_overflow(x, y, &first);
    _Bool is_second_out = __builtin_add_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

/// __builtin_subcb: exact
unsigned char __builtin_subcb(unsigned char x, unsigned char y, unsigned char in, unsigned char *out) {
    unsigned char first, second;
    _Bool is_first_out = __builtin_sub_overflow(x, y, &first);
    _Bool is_second_out = __builtin_sub_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

/// __builtin_addcs: exact
unsigned short __builtin_addcs(unsigned short x, unsigned short y, unsigned short in, unsigned short *out) {
    unsigned short first, second;
    _Bool is_first_out = __builtin_add_overflow(x, y, &first);
    _Bool is_second_out = __builtin_add_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

/// __builtin_subcs: exact
unsigned short __builtin_subcs(unsigned short x, unsigned short y, unsigned short in, unsigned short *out) {
    unsigned short first, second;
    _Bool is_first_out = __builtin_sub_overflow(x, y, &first);
    _Bool is_second_out = __builtin_sub_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

/// __builtin_addc: exact
unsigned __builtin_addc(unsigned x, unsigned y, unsigned in, unsigned *out) {
    unsigned first, second;
    _Bool is_first_out = __builtin_add_overflow(x, y, &first);
    _Bool is_second_out = __builtin_add_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

/// __builtin_subc: exact
unsigned __builtin_subc(unsigned x, unsigned y, unsigned in, unsigned *out) {
    unsigned first, second;
    _Bool is_first_out = __builtin_sub_overflow(x, y, &first);
    _Bool is_second_out = __builtin_sub_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

/// __builtin_addcl: exact
unsigned long __builtin_addcl(unsigned long x, unsigned long y, unsigned long in, unsigned long *out) {
    unsigned long first, second;
    _Bool is_first_out = __builtin_add_overflow(x, y, &first);
    _Bool is_second_out = __builtin_add_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

/// __builtin_subcl: exact
unsigned long __builtin_subcl(unsigned long x, unsigned long y, unsigned long in, unsigned long *out) {
    unsigned long first, second;
    _Bool is_first_out = __builtin_sub_overflow(x, y, &first);
    _Bool is_second_out = __builtin_sub_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

/// __builtin_addcll: exact
unsigned long long __builtin_addcll(unsigned long long x, unsigned long long y, unsigned long long in, unsigned long long *out) {
    unsigned long long first, second;
    _Bool is_first_out = __builtin_add_overflow(x, y, &first);
    _Bool is_second_out = __builtin_add_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

/// __builtin_subcll: exact
unsigned long long __builtin_subcll(unsigned long long x, unsigned long long y, unsigned long long in, unsigned long long *out) {
    unsigned long long first, second;
    _Bool is_first_out = __builtin_sub_overflow(x, y, &first);
    _Bool is_second_out = __builtin_sub_overflow(first, in, &second);
    *out = is_first_out | is_second_out;
    return second;
}

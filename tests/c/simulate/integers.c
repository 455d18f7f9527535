// Conversions, promotions and arithmetic of every width.
// run: simulate
// like: cc
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static void show(const char *what, long long value) { printf("%s = %lld\n", what, value); }

int main(void)
{
    signed char sc = -1;
    unsigned char uc = 200;
    short s = -30000;
    unsigned short us = 65535;
    unsigned int u = 4000000000u;
    long l = -5;
    unsigned long long ull = ~0ull;
    _Bool b = 42;
    show("sc + uc", sc + uc);
    show("sc > uc", sc > uc);
    show("sc < u", sc < u);
    show("(unsigned char)s", (unsigned char)s);
    show("us * us / us", (unsigned)us * us / us);
    show("u + u", u + u);
    show("l / 2", l / 2);
    show("l % 2", l % 2);
    show("-7 / 2", -7 / 2);
    show("-7 % 2", -7 % 2);
    show("l >> 1", l >> 1);
    show("ull >> 63", (long long)(ull >> 63));
    show("b", b);
    show("(bool)0.5", (bool)0.5);
    show("~uc", ~uc);
    show("!uc", !uc);
    show("uc << 24 >> 24", (int)((unsigned)uc << 24) >> 24);
    uc += 100;
    show("uc += 100", uc);
    sc = 127;
    sc++;
    show("sc++ past the end", sc);
    us++;
    show("us++", us);
    s -= 10000;
    show("s -= 10000", s);
    show("INT_MIN", INT_MIN);
    show("(unsigned)-1 % 10", (unsigned)-1 % 10);
    show("sizeof", sizeof(sc) + 10 * sizeof(s) + 100 * sizeof(u) + 1000 * sizeof(ull) + 10000 * sizeof(1 ? sc : uc));
    show("'a'", 'a' + '\377' + '\x41' + L'x' + 'ab');
    show("literals", 0x7fffffff + 0x80000000 + 010 + 0b101);
    __int128 wide = (__int128)ull * 1234567890123ll;
    show("wide high", (long long)(wide >> 64));
    show("wide low", (long long)wide);
    unsigned __int128 w2 = (unsigned __int128)1 << 100;
    show("w2 / 3", (long long)((w2 / 3) >> 64));
    show("w2 % 1000000007", (long long)(w2 % 1000000007));
    show("wide compare", wide < 0);
    show("comma", (u = 3, u + 1));
    show("ternary", (sc ? l : u) < 0);
    show("elvis", sc ?: 9);
    show("INT64_MIN/ -2", INT64_MIN / -2);
    int i = 5;
    i = i + 1;
    int array[4] = {1, 2, 3, 4}, *p = array;
    *p++ += 10;
    *++p -= 1;
    show("p", p - array + 10 * array[0] + 100 * array[2]);
    show("2[array]", 2[array]);
    uint8_t mask = 0xf0;
    mask >>= 2;
    mask |= 1;
    mask ^= 0xff;
    mask &= ~2;
    show("mask", mask);
    return 0;
}

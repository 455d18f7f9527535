// Loops, switches, labels, variable length arrays and clean-up.
#include <stdio.h>
#include <string.h>

static int classify(long n)
{
    switch (n) {
    case -5 ... -1: return -1;
    case 0: return 0;
    case 1:
    case 2:
        n += 10;
    case 3: {
        int inner = (int)n;
        return inner;
    }
    case 0x7fffffffffffffff: return 99;
    default:;
        int late = 7;
        return late;
    }
}

static void duff(char *to, const char *from, int count)
{
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int interpret(const char *program)
{
    static const void *const labels[] = {&&inc, &&dec, &&stop};
    int value = 0;
next:
    goto *labels[*program++ - 'a'];
inc:
    value++;
    goto next;
dec:
    value -= 3;
    goto next;
stop:
    return value;
}

#define FIND(array, count, wanted)                                  \
    ({                                                              \
        __label__ found;                                            \
        int at;                                                     \
        for (at = 0; at < (count); at++)                            \
            if ((array)[at] == (wanted)) goto found;                \
        at = -1;                                                    \
    found:                                                          \
        at;                                                         \
    })

static int sum(int n, int m, int a[n][m])
{
    int total = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) total += a[i][j];
    return total + (int)sizeof a[0];
}

static void variable(int n)
{
    int a[n][n + 1];
    n = 100;
    printf("%zu %zu ", sizeof a, sizeof a[0]);
    typedef char row[n++];
    row r;
    n = 7;
    printf("%zu %d ", sizeof r, (int)sizeof(row));
    int (*p)[n] = __builtin_alloca(sizeof(int) * n * 2);
    n = 3;
    p[1][0] = 5;
    printf("%d %zu\n", (int)((char *)&p[1] - (char *)p), sizeof *p);
    int b[2][3] = {{1, 2, 3}, {4, 5, 6}};
    printf("%d\n", sum(2, 3, b));
}

static void bye(int *value) { printf("bye %d\n", *value); }

static int cleanup(int n)
{
    int outer __attribute__((cleanup(bye))) = n;
    for (int i = 0; i < 2; i++) {
        int inner __attribute__((cleanup(bye))) = i + 10;
        if (i == n) return inner + outer;
    }
    return 0;
}

int main(void)
{
    for (long n = -6; n < 5; n++) printf("%d ", classify(n));
    printf("%d\n", classify(0x7fffffffffffffff));
    char buffer[32] = "";
    duff(buffer, "duff's device works", 20);
    printf("%s %d\n", buffer, interpret("aaaabac"));
    int values[] = {4, 8, 15, 16};
    printf("%d %d\n", FIND(values, 4, 15), FIND(values, 4, 5));
    variable(4);
    printf("%d\n", cleanup(1));
    int i = 0, total = 0;
    while (1) {
        if (++i > 20) break;
        else if (i % 2) continue;
        else if (i % 3 == 0) { total += i; continue; }
        do total++; while (total % 5);
    }
    for (int j = 0, *p = values; j < 4; j++, p++) total += *p;
    for (;;) if (total-- < 50) break;
    printf("%d %d\n", i, total);
    unsigned char small = 200;
    switch (small) { case 200: printf("unsigned\n"); break; case -56: printf("signed\n"); }
    switch (0xffffffffu) { case -1: printf("wrapped\n"); }
    {
        int i = 5;
        { int i = 6; printf("%d ", i); }
        printf("%d ", i);
    }
    printf("%d\n", i);
    goto end;
    printf("never\n");
end:
    ;
    int last = 1;
    __asm__ volatile("" : "+r"(last) : : "memory");
    if (last) if (!last) printf("a\n"); else printf("b\n");
    return last;
}

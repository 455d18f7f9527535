// Every statement form, including jumps into and out of scopes.
// run: simulate
// like: cc
#include <stdio.h>

static int duff(char *to, const char *from, int count)
{
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
    return n;
}

static int computed(int which)
{
    static void *const table[] = {&&zero, &&one, &&two};
    goto *table[which];
zero:
    return 100;
one:
    return 101;
two:
    return 102;
}

static int nested_switch(int a, int b)
{
    switch (a) {
    case 1 ... 3:
        switch (b) {
        default: return -1;
        case 7: break;
        }
        return 1;
    case 10: ;
        int x = b;
        return x;
    default:
        return 0;
    }
}

static int backwards(void)
{
    int rounds = 0;
again:;
    int fresh;
    fresh = rounds * 2;
    if (++rounds < 5)
        goto again;
    return fresh;
}

int main(void)
{
    char buffer[12] = {0};
    printf("%d %s\n", duff(buffer, "hello, duff", 11), buffer);
    for (int i = 0; i < 3; i++)
        printf("%d ", computed(i));
    printf("\n%d %d %d %d\n", nested_switch(2, 7), nested_switch(3, 1), nested_switch(10, 42), nested_switch(4, 4));
    printf("%d\n", backwards());
    int i = 0, odd = 0;
    while (1) {
        if (i >= 20)
            break;
        if (i++ % 2 == 0)
            continue;
        odd += i;
    }
    do
        odd--;
    while (odd > 50);
    for (int a = 0, b = 10; a < b; a++, b--)
        odd += a * b;
    printf("%d %d\n", i, odd);
    return odd & 63;
}

// Variable arguments of every class, passed on and copied.
// run: simulate
// like: cc
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct pair { int a; long b; };
struct big { char text[40]; };

static long total(int count, ...)
{
    va_list list, again;
    long sum = 0;
    va_start(list, count);
    va_copy(again, list);
    for (int i = 0; i < count; i++)
        sum += va_arg(list, int);
    for (int i = 0; i < count; i++)
        sum += 100 * va_arg(again, int);
    va_end(again);
    va_end(list);
    return sum;
}

static void mixed(const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': printf("%d ", va_arg(list, int)); break;
        case 'l': printf("%ld ", va_arg(list, long)); break;
        case 'd': printf("%g ", va_arg(list, double)); break;
        case 'L': printf("%Lg ", va_arg(list, long double)); break;
        case 's': printf("%s ", va_arg(list, char *)); break;
        case 'p': { struct pair p = va_arg(list, struct pair); printf("{%d %ld} ", p.a, p.b); break; }
        case 'b': printf("%s ", va_arg(list, struct big).text); break;
        }
    }
    va_end(list);
    printf("\n");
}

static int format(char *out, size_t n, const char *f, ...)
{
    va_list list;
    va_start(list, f);
    int result = vsnprintf(out, n, f, list);
    va_end(list);
    return result;
}

static void pass_on(va_list *list) { printf("%d\n", va_arg(*list, int)); }
static void wrapper(int first, ...)
{
    va_list list;
    va_start(list, first);
    pass_on(&list);
    pass_on(&list);
    va_end(list);
}

int main(void)
{
    printf("%ld\n", total(4, 1, 2, 3, 4));
    struct big big = {"a big struct"};
    char c = 'x';
    float f = 2.5f;
    mixed("ildLspbid", 1, 2L, f, 3.25L, "text", (struct pair){4, 5}, big, c, 1e10);
    char buffer[16];
    printf("%d %s\n", format(buffer, sizeof buffer, "%s-%05d-%x", "abc", 42, 255), buffer);
    printf("%d %s\n", format(buffer, 8, "%s", "truncated text"), buffer);
    wrapper(0, 11, 22);
    printf("%5d|%-5d|%+d|%05d|%x|%X|%#o|%c|%10s|%-10s|%.2s|%%|%ld|%llu|%hhd|%zu\n", 42, 42, 42, 42, 255, 255, 8, 'z',
           "right", "left", "cut", -1L, 18446744073709551615ull, 300, sizeof(int));
    printf("%*d|%-*d|%.*f\n", 6, 1, 6, 2, 3, 3.14159);
    return 0;
}

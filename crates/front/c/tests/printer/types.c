// Records, enumerations, qualifiers and initialisers of all forms.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct point { int x, y; };
struct list { struct list *next; struct point at; };
union word { unsigned u; unsigned char bytes[4]; float f; };
struct mixed {
    char tag;
    union {
        int whole;
        struct { short low, high; };
        struct { unsigned char b0, b1; } named;
    };
    struct { int deep; struct { int deeper[2]; }; };
};
struct bits { unsigned a : 3; int b : 5; _Bool c : 1; unsigned : 0; unsigned long long d : 40; int : 4; signed char e : 2; };
struct __attribute__((packed)) tight { char c; int i; struct { short s; long l; } inner; };
#pragma pack(push, 2)
struct pragma_packed { char c; long l; int i : 20; };
#pragma pack(pop)
struct aligned { char c __attribute__((aligned(16))); int i; } __attribute__((aligned(32)));
struct flexible { int n; char tail[]; };
enum colour { RED, GREEN = 5, BLUE };
enum big { SMALL = -1, HUGE_ONE = 0x7fffffffff };
enum __attribute__((packed)) tiny { T0, T1 = 255 };
typedef int (*operation)(int, int);
typedef int matrix[2][3];
typedef const char *const *names;

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static operation table[] = {[1] = sub, [0] = add};
static int (*choose(int which))(int, int) { return table[which]; }

static const matrix m = {{1, 2}, {[2] = 9}};
static struct mixed mixed = {'m', {.high = 7, .low = 3}, {{4}}};
static struct mixed other = {.tag = 'o', .whole = 0x10002, .deep = 5, .deeper = {1, 2}};
static int ranges[10] = {[2 ... 4] = 7, 8, [9] = 1, [3] = 0};
static struct point grid[2][2] = {{{1, 2}, {3, 4}}, [1][1].y = 6};
static char text[8] = "ab\0c\"\\?";
static char exact[3] = "xyz";
static const char *words[] = {"one", "t" "wo", "thr\145e\n", "\x80\xff" "f"};
static __typeof__(L'a') wide[] = L"w\u20acx";
static struct flexible flexible = {3, {1, 2, 3}};
static struct list second = {0, {3, 4}}, first = {&second, {1, 2}};
static int *into = &ranges[5], *past = ranges + 10;
static int *member = &first.at.y ? &second.at.y : 0;
static volatile int counter;
static unsigned long offset = offsetof(struct mixed, deeper[1]);
extern int later;
static int *to_later = &later;
int later = 42;
_Alignas(64) static char wide_aligned[3];
static __thread int per_thread = 4;

static void show_bits(struct bits b) { printf("%u %d %d %llu %d\n", b.a, b.b, b.c, (unsigned long long)b.d, b.e); }

static int shadow(int x)
{
    struct point { char c; int point; };
    enum { RED = 10, local = 11 };
    struct point p = {'p', x};
    {
        struct point { long wide[3]; } q = {{1, 2, RED}};
        x += q.wide[2] + sizeof(struct point);
        int p = x;
        x = p + 1;
    }
    struct { int z; } anonymous = {local};
    return p.point + x + anonymous.z + (int)sizeof(struct point);
}

int main(void)
{
    printf("%zu %zu %zu %zu %zu %zu\n", sizeof(struct mixed), sizeof(struct bits), sizeof(struct tight),
           sizeof(struct pragma_packed), sizeof(struct aligned), sizeof(struct flexible));
    printf("%zu %zu %zu\n", sizeof(enum colour), sizeof(enum big), sizeof(enum tiny));
    printf("%d %d\n", choose(0)(5, 3), (*choose(1))(5, 3));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) printf("%d ", m[i][j]);
    printf("\n%c %d %d %d %d\n", mixed.tag, mixed.low, mixed.high, mixed.deep, mixed.named.b0);
    printf("%c %d %d %d %d\n", other.tag, other.whole, other.high, other.deeper[0], other.deeper[1]);
    for (int i = 0; i < 10; i++) printf("%d ", ranges[i]);
    printf("%d %d\n", grid[0][1].x, grid[1][1].y);
    for (unsigned i = 0; i < sizeof text; i++) printf("%d ", text[i]);
    printf("%.3s %s %s %s %s\n", exact, words[0], words[1], words[2], words[3]);
    for (unsigned i = 0; i < sizeof wide / sizeof *wide; i++) printf("%d ", wide[i]);
    printf("%d %d %ld %d %lu %d\n", flexible.tail[2], first.next->at.x, (long)(past - into), *member, offset, *to_later);
    struct bits b = {1, -3, 1, .e = -1};
    b.d = 0xffffffffffULL;
    b.a += 9;
    b.b--;
    show_bits(b);
    show_bits((struct bits){.a = 7, .c = 2});
    int *compound = (int[]){1, 2, 3};
    compound[1] += ((struct point){5, 6}).y;
    printf("%d %d\n", compound[1], *&(int){9});
    union word w = {.f = 1.0f};
    printf("%x %d\n", w.u, w.bytes[3]);
    struct point a = {1, 2}, c = a, *pc = &c;
    pc->x = 9;
    a = *pc;
    printf("%d %d %d\n", a.x, c.y, shadow(3));
    counter++;
    counter |= 6;
    printf("%d %d %d %d\n", counter, per_thread, wide_aligned[0], (int)((size_t)wide_aligned % 64));
    enum colour colour = BLUE;
    enum tiny tiny = T1;
    printf("%d %d %lld %d\n", colour, tiny, (long long)HUGE_ONE, colour > GREEN);
    names n = (names)words;
    printf("%s\n", n[1]);
    return 0;
}

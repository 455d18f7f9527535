// Structs, unions, bit-fields: by value, nested, returned, assigned, initialised.
// run: simulate
// like: cc
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct point { int x, y; };
struct rect { struct point low, high; char name[8]; };
union number { int i; unsigned char bytes[4]; float f; };
struct flags {
    unsigned a : 3;
    int b : 5;
    unsigned long long c : 40;
    _Bool d : 1;
    unsigned : 0;
    unsigned char e : 7;
};
struct __attribute__((packed)) tight { char c; int i; short s; };
struct with_anonymous {
    int tag;
    union {
        struct { short lo, hi; };
        int whole;
    };
};
struct list { int value; struct list *next; };
struct flexible { int count; int items[]; };

static struct point add(struct point a, struct point b) { return (struct point){a.x + b.x, a.y + b.y}; }
static struct rect grow(struct rect r, int by)
{
    r.low.x -= by;
    r.high.y += by;
    strcpy(r.name, "grown");
    return r;
}
static int sum(const struct list *l) { return l ? l->value + sum(l->next) : 0; }

static struct rect global = {.high = {.y = 4, .x = 3}, .name = "glob"};
static int matrix[3][4] = {{1, 2}, [2] = {[1] = 7, 8}, };
static int ranges[10] = {[2 ... 5] = 9, [7] = 1, 2};
static const char *names[] = {[1] = "one", [0] = "zero", [2] = "two"};

int main(void)
{
    struct point p = add((struct point){1, 2}, (struct point){.y = 10, .x = 20});
    printf("%d %d\n", p.x, p.y);
    struct rect r = {p, {100, 200}, "rect"}, s;
    s = grow(r, 5);
    printf("%d %d %s %s %d\n", s.low.x, s.high.y, s.name, r.name, grow(r, 7).high.y);
    printf("%d %d %s\n", global.low.x, global.high.x, global.name);
    union number n = {.i = 0x01020304};
    printf("%d %d\n", n.bytes[0], n.bytes[3]);
    n.f = 1.5f;
    printf("%x\n", (unsigned)n.i);
    struct flags f = {.a = 9, .b = -3, .c = 0xabcdef0123ull, .d = 5};
    f.e = 200;
    f.b--;
    f.c += 1;
    f.a = f.a + 7;
    printf("%u %d %llx %d %u %zu\n", f.a, f.b, (unsigned long long)f.c, f.d, f.e, sizeof f);
    printf("%d\n", (f.a = 12) + (f.b += 30));
    struct tight t = {'x', 0x11223344, -2};
    unsigned char raw[sizeof t];
    memcpy(raw, &t, sizeof t);
    for (size_t i = 0; i < sizeof raw; i++)
        printf("%02x", raw[i]);
    printf(" %zu %zu\n", sizeof t, offsetof(struct tight, s));
    struct with_anonymous w = {.tag = 1, .lo = 2, .hi = 3};
    printf("%d %d\n", w.whole, w.hi);
    struct list third = {3, NULL}, second = {2, &third}, first = {1, &second};
    printf("%d\n", sum(&first));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            printf("%d ", matrix[i][j]);
    for (int i = 0; i < 10; i++)
        printf("%d ", ranges[i]);
    printf("\n%s %s %zu\n", names[0], names[2], sizeof names / sizeof *names);
    struct { int a; struct { char b[3]; } c[2]; } q = {1, {{"ab"}, {{'x', 'y'}}}};
    printf("%s %c %d\n", q.c[0].b, q.c[1].b[1], q.c[1].b[2]);
    struct point *heap = &(struct point){7, 8};
    heap->x++;
    printf("%d\n", heap->x);
    p = p.x > 5 ? *heap : r.high;
    printf("%d %d\n", p.x, p.y);
    printf("%zu %zu %zu\n", sizeof(struct flexible), sizeof(union number), _Alignof(struct rect));
    int *cell = &matrix[2][1];
    printf("%d %td\n", cell[1], cell - &matrix[0][0]);
    return 0;
}

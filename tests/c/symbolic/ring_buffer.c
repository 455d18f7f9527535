// A ring buffer gives back what was put in, in order.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

struct ring {
    int data[4];
    unsigned head, tail;
};

static int put(struct ring *r, int x)
{
    if (r->head - r->tail == 4)
        return 0;
    r->data[r->head++ % 4] = x;
    return 1;
}

static int get(struct ring *r, int *x)
{
    if (r->head == r->tail)
        return 0;
    *x = r->data[r->tail++ % 4];
    return 1;
}

int main(void)
{
    struct ring r;
    unsigned start = __VERIFIER_nondet_uint();
    r.head = r.tail = start;
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), x, y;
    put(&r, a);
    put(&r, b);
    assert(get(&r, &x) && get(&r, &y));
    assert(x == a && y == b);
    return 0;
}

// Functions are called through a table by an index that was checked.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);

static int add(int a) { return a / 2 + 1; }
static int half(int a) { return a / 2; }
static int keep(int a) { return a; }
static int (*const table[3])(int) = {add, half, keep};

int main(void)
{
    unsigned op = __VERIFIER_nondet_uint();
    int x = __VERIFIER_nondet_int();
    if (op >= 3)
        return 0;
    int y = table[op](x);
    assert(op != 1 || y == x / 2);
    assert(op != 2 || y == x);
    assert(op != 0 || y > x / 2);
    return 0;
}

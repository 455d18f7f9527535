// Bit-fields keep their neighbours.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);

struct flags {
    unsigned kind : 3;
    unsigned count : 10;
    int level : 5;
};

int main(void)
{
    struct flags f = {0, 0, 0};
    unsigned kind = __VERIFIER_nondet_uint(), count = __VERIFIER_nondet_uint();
    f.kind = kind;
    f.count = count;
    f.level = -3;
    assert(f.kind == (kind & 7) && f.level == -3);
    assert(f.count == (count & 1023));
    return 0;
}

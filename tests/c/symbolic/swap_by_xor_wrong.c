// A number that changes places with itself is lost.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static void swap(unsigned *a, unsigned *b)
{
    *a ^= *b;
    *b ^= *a;
    *a ^= *b;
}

int main(void)
{
    unsigned v[3] = {__VERIFIER_nondet_uint(), __VERIFIER_nondet_uint(), __VERIFIER_nondet_uint()};
    unsigned i = __VERIFIER_nondet_uint(), j = __VERIFIER_nondet_uint();
    __VERIFIER_assume(i < 3 && j < 3);
    unsigned a = v[i], b = v[j];
    swap(&v[i], &v[j]);
    assert(v[i] == b && v[j] == a); // fails
    return 0;
}

// The index is one too large.
// run: check --engine sat
// verdict: violated out-of-bounds
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int squares[20];
    for (int i = 0; i < 20; i++)
        squares[i] = i * i;
    int i = __VERIFIER_nondet_int();
    if (i >= 0 && i <= 20)
        assert(squares[i] >= i && squares[i] % 4 <= 1); // fails
    return 0;
}

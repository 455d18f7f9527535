// An index that was checked is inside the array.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int squares[20];
    for (int i = 0; i < 20; i++)
        squares[i] = i * i;
    int i = __VERIFIER_nondet_int();
    if (i >= 0 && i < 20)
        assert(squares[i] >= i && squares[i] % 4 <= 1);
    return 0;
}

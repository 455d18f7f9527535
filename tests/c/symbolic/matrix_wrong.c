// Rows are not constant.
// run: check --engine sat
// verdict: violated assertion
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int m[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            m[i][j] = m[j][i] = __VERIFIER_nondet_int();
    unsigned r = __VERIFIER_nondet_uint(), c = __VERIFIER_nondet_uint();
    __VERIFIER_assume(r < 3 && c < 3);
    assert(m[r][c] == m[c][c]); // fails
    return 0;
}

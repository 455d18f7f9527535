// Leaving two loops leaves what was found.
// run: check --engine sat
// verdict: verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int m[3][3], x = __VERIFIER_nondet_int(), row = -1, column = -1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = __VERIFIER_nondet_int();
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            if (m[i][j] == x) {
                row = i;
                column = j;
                goto found;
            }
    }
found:
    if (row >= 0)
        assert(m[row][column] == x);
    return 0;
}

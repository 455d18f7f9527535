// The old value of an increment in a condition where the type does not wrap round.
// run: check --tabled
// verdict: verified
#include <assert.h>

int main(void)
{
    int i = 0, n = 0;
    unsigned char small = 3;
    while (i++ < 3)
        n++;
    if (small-- == 3)
        n++;
    assert(n == 4 && i == 4 && small == 2);
    return 0;
}

// run: check
// verdict: verified
// A pointer one past the end may be computed and compared.
#include <assert.h>
int main(void) {
    int a[4] = {1, 2, 3, 4}, sum = 0;
    for (int *p = a; p != a + 4; p++) sum += *p;
    assert(sum == 10);
    return 0;
}

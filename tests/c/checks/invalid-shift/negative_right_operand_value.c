// run: check
// verdict: verified
// Shifting a negative number to the right is defined by gcc as arithmetic.
#include <assert.h>
int main(void) {
    int x = -8, n = 1;
    assert(x >> n == -4);
    return 0;
}

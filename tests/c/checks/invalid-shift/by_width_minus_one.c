// run: check
// verdict: verified
// The largest count for unsigned int.
#include <assert.h>
int main(void) {
    unsigned x = 1;
    int n = 31;
    assert(x << n == 2147483648u);
    assert(x << n >> n == 1);
    return 0;
}

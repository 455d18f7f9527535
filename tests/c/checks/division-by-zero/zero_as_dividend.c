// run: check
// verdict: verified
// Zero may be divided.
#include <assert.h>
int main(void) {
    int zero = 0;
    assert(zero / 5 == 0 && zero % 5 == 0);
    return 0;
}

// run: check
// verdict: verified
// A long may be shifted by 63.
#include <assert.h>
int main(void) {
    int n = 63;
    assert(1ul << n == 9223372036854775808ul);
    return 0;
}

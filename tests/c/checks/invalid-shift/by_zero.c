// run: check
// verdict: verified
// A shift by zero changes nothing.
#include <assert.h>
int main(void) {
    int n = 0;
    assert(5 << n == 5 && 5 >> n == 5);
    return 0;
}

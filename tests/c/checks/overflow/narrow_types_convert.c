// run: check
// verdict: verified
// A char that grows beyond its range is converted, which is defined by the implementation.
#include <assert.h>
int main(void) {
    signed char c = 127;
    c++;
    assert(c == -128);
    unsigned char u = 255;
    u += 1;
    assert(u == 0);
    return 0;
}

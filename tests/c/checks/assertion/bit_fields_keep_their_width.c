// run: check
// verdict: verified
// A bit-field of three unsigned bits wraps at eight.
#include <assert.h>
struct counter { unsigned n : 3; };
int main(void) {
    struct counter counter = {7};
    counter.n++;
    assert(counter.n == 0);
    return 0;
}

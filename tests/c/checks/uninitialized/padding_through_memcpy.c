// run: check
// verdict: verified
// Padding is copied byte by byte and never decided on.
#include <assert.h>
#include <string.h>
struct padded { char c; int i; };
int main(void) {
    struct padded a, b;
    a.c = 'x';
    a.i = 5;
    memcpy(&b, &a, sizeof b);
    assert(b.c == 'x' && b.i == 5);
    return 0;
}

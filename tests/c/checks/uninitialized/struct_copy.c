// run: check
// verdict: verified
// A struct with an unset member may be copied.
#include <assert.h>
struct pair { int first, second; };
int main(void) {
    struct pair a, b;
    a.first = 1;
    b = a;
    assert(b.first == 1);
    return 0;
}

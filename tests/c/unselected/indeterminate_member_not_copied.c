// What was copied before is not what is there later.
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>

struct inner {
    int n;
};

int main(void) {
    struct inner a, b = a, c;
    a = c;
    assert(a.n == b.n); // fails
    return 0;
}

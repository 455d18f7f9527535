// The only member of a struct, the only element of an array and the widest member of a union are copied like others.
// run: check --property assertion
// verdict: verified
#include <assert.h>

struct inner {
    int n;
};
struct outer {
    struct inner inner;
    int one[1];
};
union either {
    char first;
    int n;
};

int main(void) {
    struct inner a;
    struct outer b = {a}, c;
    assert(b.inner.n == a.n);
    struct outer d = c;
    assert(c.one[0] == d.one[0]);
    union either e, f = e;
    assert(e.n == f.n);
    return 0;
}

// A static union is zero behind its member, and so is an automatic one whose initialiser names the largest member or none.
// run: check
// verdict: verified
#include <assert.h>

union number {
    char small;
    int large;
};

static union number resting = {1};

int main(void) {
    union number n = {.large = 1}, none = {};
    assert(resting.large == 1);
    assert(n.small == 1);
    assert(none.large == 0);
    n.small = 2;
    assert(n.large == 2);
    return 0;
}

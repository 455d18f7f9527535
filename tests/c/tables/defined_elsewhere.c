// An object that no file defines may have any value, not only zero.
// run: check --tabled
// verdict: violated assertion
#include <assert.h>

extern int limit;

int main(void) {
    if (limit > 3)
        assert(0); // fails
    return 0;
}

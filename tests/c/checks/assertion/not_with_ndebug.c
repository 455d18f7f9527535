// run: check
// verdict: verified
// An assertion that is compiled out is not checked.
#define NDEBUG
#include <assert.h>
int main(void) {
    assert(0);
    return 0;
}

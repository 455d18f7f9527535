// The same assertion with the default properties.
// run: check
// verdict: violated assertion
#include <assert.h>

int main(void) {
    assert(0); // fails
    return 0;
}

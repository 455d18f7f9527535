// run: check
// verdict: violated assertion
// The plainest assertion that fails.
#include <assert.h>
int main(void) {
    int x = 2;
    assert(x == 3); // fails
    return 0;
}

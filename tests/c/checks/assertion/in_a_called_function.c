// run: check
// verdict: violated assertion
// The failing line is in the callee, not at its call.
#include <assert.h>
static void must_be_even(int n) {
    assert(n % 2 == 0); // fails
}
int main(void) {
    for (int i = 0; i < 10; i += 2) must_be_even(i);
    must_be_even(7);
    return 0;
}

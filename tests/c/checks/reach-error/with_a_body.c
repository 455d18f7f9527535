// run: check
// verdict: violated reach-error
// The competition defines reach_error with a failing assertion.
#include <assert.h>
void reach_error(void) { assert(0); }
static void check(int condition) {
    if (!condition)
        reach_error(); // fails
}
int main(void) {
    check(1);
    check(2 > 3);
    return 0;
}

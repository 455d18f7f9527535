// run: check
// verdict: verified
// A callee sets the variable.
#include <assert.h>
static void set(int *place) { *place = 9; }
int main(void) {
    int x;
    set(&x);
    assert(x == 9);
    return 0;
}

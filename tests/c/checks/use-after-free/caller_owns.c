// run: check
// verdict: verified
// A pointer handed down is valid for as long as the caller runs.
#include <assert.h>
static void set(int *place) { *place = 4; }
int main(void) {
    int x = 0;
    set(&x);
    assert(x == 4);
    return 0;
}

// run: check
// verdict: verified
// What an initialiser leaves out is zero.
#include <assert.h>
int main(void) {
    int a[4] = {1};
    struct { int x, y; } s = {.y = 2};
    assert(a[3] == 0 && s.x == 0);
    return 0;
}

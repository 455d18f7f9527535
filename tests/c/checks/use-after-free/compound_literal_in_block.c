// run: check
// verdict: verified
// A compound literal lives until the end of its block.
#include <assert.h>
int main(void) {
    int *p = (int[]){1, 2, 3};
    assert(p[2] == 3);
    return 0;
}

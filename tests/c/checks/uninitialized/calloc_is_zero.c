// run: check
// verdict: verified
// calloc clears.
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *p = calloc(3, sizeof *p);
    if (!p) return 0;
    assert(p[2] == 0);
    free(p);
    return 0;
}

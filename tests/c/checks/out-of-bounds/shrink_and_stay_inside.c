// run: check
// verdict: verified
// After realloc shrinks an object, the part that is left keeps its contents.
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *p = calloc(4, sizeof *p);
    if (!p) return 0;
    p[1] = 7;
    int *q = realloc(p, 2 * sizeof *q);
    if (!q) {
        free(p);
        return 0;
    }
    assert(q[1] == 7);
    free(q);
    return 0;
}

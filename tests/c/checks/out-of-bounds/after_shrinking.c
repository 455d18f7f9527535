// run: check
// verdict: violated out-of-bounds
// Memory given back by realloc is gone.
#include <stdlib.h>
int main(void) {
    int *p = calloc(4, sizeof *p);
    p = realloc(p, 2 * sizeof *p);
    int x = p[2]; // fails
    free(p);
    return x;
}

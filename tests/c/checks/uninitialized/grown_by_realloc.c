// run: check
// verdict: violated uninitialized
// The part that realloc adds is indeterminate.
#include <stdlib.h>
int main(void) {
    char *p = calloc(2, 1);
    if (!p) return 0;
    char *q = realloc(p, 4);
    if (!q) return 0;
    int is_set = 0;
    if (q[3]) // fails
        is_set = 1;
    free(q);
    return is_set;
}

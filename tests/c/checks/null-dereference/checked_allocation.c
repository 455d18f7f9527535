// run: check --malloc-fails
// verdict: verified
// A checked malloc is fine even if allocations fail.
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    if (!p) return 1;
    *p = 1;
    free(p);
    return 0;
}

// run: check --malloc-fails
// verdict: violated null-dereference
// With allocation failures allowed, an unchecked malloc is a null dereference.
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1; // fails
    free(p);
    return 0;
}

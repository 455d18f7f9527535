// run: check
// verdict: verified
// Two objects of the same size are two objects.
#include <stdlib.h>
int main(void) {
    char *p = malloc(8), *q = malloc(8);
    free(p);
    free(q);
    return 0;
}

// run: check
// verdict: violated use-after-free
// A read from a freed object.
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    if (!p) return 0;
    *p = 5;
    free(p);
    return *p; // fails
}

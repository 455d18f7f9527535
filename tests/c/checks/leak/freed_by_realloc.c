// run: check --property default,leak
// verdict: verified
// realloc frees the old object.
#include <stdlib.h>
int main(void) {
    char *p = malloc(4);
    if (!p) return 0;
    char *q = realloc(p, 8);
    free(q ? q : p);
    return 0;
}

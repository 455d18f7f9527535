// run: check
// verdict: violated double-free
// The same pointer is freed twice.
#include <stdlib.h>
int main(void) {
    char *p = malloc(8);
    free(p);
    free(p); // fails
    return 0;
}

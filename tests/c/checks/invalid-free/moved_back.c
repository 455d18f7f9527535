// run: check
// verdict: verified
// The pointer is back at the start when it is freed.
#include <stdlib.h>
int main(void) {
    char *p = malloc(8);
    if (!p) return 0;
    p += 3;
    p -= 3;
    free(p);
    return 0;
}

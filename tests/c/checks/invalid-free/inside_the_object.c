// run: check
// verdict: violated invalid-free
// The pointer was moved before it is freed.
#include <stdlib.h>
int main(void) {
    char *p = malloc(8);
    if (!p) return 0;
    p++;
    free(p); // fails
    return 0;
}

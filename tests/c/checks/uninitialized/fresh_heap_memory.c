// run: check
// verdict: violated uninitialized
// malloc does not clear.
#include <stdlib.h>
int main(void) {
    int *p = malloc(2 * sizeof *p);
    if (!p) return 0;
    p[0] = 1;
    int result = 0;
    if (p[1] == 0) // fails
        result = 1;
    free(p);
    return result;
}

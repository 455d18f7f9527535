// run: check
// verdict: verified
// A pointer set to null may be freed again.
#include <stdlib.h>
int main(void) {
    char *p = malloc(8);
    free(p);
    p = 0;
    free(p);
    return 0;
}

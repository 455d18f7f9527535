// run: check
// verdict: verified
// A new allocation in the same variable is a new object.
#include <stdlib.h>
int main(void) {
    char *p = malloc(8);
    free(p);
    p = malloc(8);
    free(p);
    return 0;
}

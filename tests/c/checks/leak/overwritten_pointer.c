// run: check --property default,leak
// verdict: violated leak
// The first object is lost when the variable gets the second.
#include <stdlib.h>
int main(void) {
    char *p = malloc(4); // fails
    p = malloc(8);
    free(p);
    return 0;
}

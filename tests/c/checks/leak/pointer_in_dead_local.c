// run: check --property default,leak
// verdict: violated leak
// The local is gone when the program ends; with exit() it would still be there.
#include <stdlib.h>
int main(void) {
    int *p = malloc(8); // fails
    *p = 1;
    return 0;
}

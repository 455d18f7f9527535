// run: check
// verdict: verified
// Freeing a null pointer does nothing.
#include <stdlib.h>
int main(void) {
    free(0);
    return 0;
}

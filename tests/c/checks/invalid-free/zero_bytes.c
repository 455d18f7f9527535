// run: check
// verdict: verified
// malloc(0) yields something that may be freed.
#include <stdlib.h>
int main(void) {
    void *p = malloc(0);
    free(p);
    return 0;
}

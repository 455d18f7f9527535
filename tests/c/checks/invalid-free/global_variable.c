// run: check
// verdict: violated invalid-free
// A global object is freed.
#include <stdlib.h>
static int table[4];
int main(void) {
    int *p = table;
    free(p); // fails
    return 0;
}

// run: check
// verdict: violated invalid-free
// A stack object is freed.
#include <stdlib.h>
int main(void) {
    char buffer[8];
    char *p = buffer;
    free(p); // fails
    return 0;
}

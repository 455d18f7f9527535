// run: check
// verdict: violated invalid-free
// realloc is given an object that malloc did not make.
#include <stdlib.h>
int main(void) {
    static char buffer[8];
    char *p = realloc(buffer, 16); // fails
    free(p);
    return 0;
}

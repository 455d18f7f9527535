// run: check
// verdict: verified
// What strdup returns is freed like any allocation.
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *copy = strdup("text");
    free(copy);
    return 0;
}

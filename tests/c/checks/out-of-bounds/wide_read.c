// run: check
// verdict: violated out-of-bounds
// An int is read where only two bytes are left.
#include <stdlib.h>
int main(void) {
    char *bytes = calloc(6, 1);
    int value = *(int *)(bytes + 4); // fails
    free(bytes);
    return value;
}

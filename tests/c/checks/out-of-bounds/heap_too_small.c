// run: check
// verdict: violated out-of-bounds
// The terminator does not fit into the allocation.
#include <stdlib.h>
#include <string.h>
int main(void) {
    const char *text = "four";
    char *copy = malloc(strlen(text));
    strcpy(copy, text); // fails
    free(copy);
    return 0;
}

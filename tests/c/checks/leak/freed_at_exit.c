// run: check --property default,leak
// verdict: verified
// An exit handler frees.
#include <stdlib.h>
static char *buffer;
static void release(void) { free(buffer); }
int main(void) {
    buffer = malloc(4);
    atexit(release);
    return 0;
}

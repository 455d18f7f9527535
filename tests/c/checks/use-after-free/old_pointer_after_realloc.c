// run: check
// verdict: violated use-after-free
// realloc may move the object, so the old pointer is dead.
#include <stdlib.h>
int main(void) {
    char *old = malloc(4);
    if (!old) return 0;
    old[0] = 'x';
    char *new = realloc(old, 400);
    if (!new) return 0;
    char c = old[0]; // fails
    free(new);
    return c;
}

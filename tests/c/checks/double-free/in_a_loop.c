// run: check
// verdict: violated double-free
// The pointer is not cleared between two rounds.
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    for (int i = 0; i < 2; i++)
        free(p); // fails
    return 0;
}

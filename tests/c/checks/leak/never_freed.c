// run: check --property default,leak
// verdict: violated leak
// The only pointer dies with its function.
#include <stdlib.h>
static void work(void) {
    int *p = malloc(sizeof *p); // fails
    if (p) *p = 1;
}
int main(void) {
    work();
    return 0;
}

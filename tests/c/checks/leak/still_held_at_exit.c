// run: check --property default,leak
// verdict: verified
#include <stdlib.h>
static char *middle;
int main(void) {
    char *p = malloc(8);
    middle = (char *)malloc(8) + 3;
    *p = 1;
    exit(0);
}

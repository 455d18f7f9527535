// run: check
// verdict: verified
// Without the property a leak is no violation.
#include <stdlib.h>
int main(void) {
    char *p = malloc(4);
    return p == 0;
}

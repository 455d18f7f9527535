// run: check --property default,leak
// verdict: verified
// Every path frees.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char *p = malloc(4);
    if (__VERIFIER_nondet_int() == 3) {
        free(p);
        return 1;
    }
    free(p);
    return 0;
}

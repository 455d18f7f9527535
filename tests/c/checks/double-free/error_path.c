// run: check
// verdict: violated double-free
// The clean-up label frees what the error branch has freed.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    char *p = malloc(4);
    if (__VERIFIER_nondet_int()) {
        free(p);
        goto out;
    }
out:
    free(p); // fails
    return 0;
}

// run: check --property default,leak
// verdict: violated leak
// One path forgets to free.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static int work(void) {
    char *p = malloc(4); // fails
    if (__VERIFIER_nondet_int() == 3) return -1;
    free(p);
    return 0;
}
int main(void) {
    work();
    return 0;
}

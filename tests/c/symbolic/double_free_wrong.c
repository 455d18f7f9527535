// On one way it is freed twice.
// run: check --engine sat
// verdict: violated double-free
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    char *p = malloc(4);
    if (x == 77) {
        free(p);
    }
    free(p); // fails
    return 0;
}

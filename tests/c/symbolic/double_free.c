// What is freed is not freed again.
// run: check --engine sat
// verdict: verified
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    char *p = malloc(4);
    if (x == 77) {
        free(p);
        p = 0;
    }
    free(p);
    return 0;
}

// The early return forgets the buffer.
// run: check --property leak
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static int read_one(void)
{
    int *cell = malloc(sizeof *cell);
    *cell = __VERIFIER_nondet_int();
    if (*cell < 0)
        return -1;
    int value = *cell;
    free(cell);
    return value;
}

int main(void)
{
    return read_one() < 0;
}

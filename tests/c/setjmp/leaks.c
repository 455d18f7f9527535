// What a callee took is not given back by a jump over it.
// run: check --property leak
// verdict: violated leak
#include <setjmp.h>
#include <stdlib.h>

static jmp_buf place;

static void work(void)
{
    char *buffer = malloc(8); // fails
    if (!buffer)
        return;
    longjmp(place, 1);
    free(buffer);
}

int main(void)
{
    if (setjmp(place) == 0)
        work();
    return 0;
}

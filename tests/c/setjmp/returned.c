// The function that called setjmp has returned: there is nothing to go back to.
// run: check
// verdict: unknown longjmp to a function that has returned
#include <setjmp.h>

static jmp_buf place;

static int remember(void)
{
    return setjmp(place);
}

int main(void)
{
    if (remember() == 0)
        longjmp(place, 1);
    return 0;
}

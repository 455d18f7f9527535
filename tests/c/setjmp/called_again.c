// The function that called setjmp has returned and is active again, at the same depth: its new activation is another one.
// run: check
// verdict: unknown longjmp to a function that has returned
#include <assert.h>
#include <setjmp.h>

static jmp_buf place;
static int n_calls;

static void work(void)
{
    int was = n_calls++;
    if (was == 0 && setjmp(place) != 0)
        assert(was == 0);
    if (was == 1)
        longjmp(place, 1);
}

int main(void)
{
    work();
    work();
    return 0;
}

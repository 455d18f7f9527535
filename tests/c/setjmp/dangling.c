// A local object of a function that a jump leaves is gone.
// run: check
// verdict: violated use-after-free
#include <setjmp.h>

static jmp_buf place;
static int *kept;

static void work(void)
{
    int local = 1;
    kept = &local;
    longjmp(place, 1);
}

int main(void)
{
    if (setjmp(place) == 0)
        work();
    return *kept; // fails
}

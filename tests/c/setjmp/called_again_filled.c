// Every activation fills the buffer anew and jumps to itself; a copy of the buffer leads to the same place.
// run: check
// verdict: verified
#include <assert.h>
#include <setjmp.h>
#include <string.h>

static jmp_buf place, copy;

static int work(int number)
{
    volatile int n_jumps = 0;
    if (setjmp(place) != 0)
        n_jumps++;
    memcpy(&copy, &place, sizeof place);
    if (n_jumps < 2)
        longjmp(copy, 1);
    return number;
}

int main(void)
{
    assert(work(1) == 1);
    assert(work(2) == 2);
    return 0;
}

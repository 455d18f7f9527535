// A jump can close a cycle without a loop statement; the search ends because the states come back.
// run: check
// verdict: verified
#include <assert.h>
#include <setjmp.h>

static jmp_buf place;
static unsigned char n;

int main(void)
{
    int value = setjmp(place);
    assert(value >= 0 && value <= 2);
    n++;
    longjmp(place, n % 3);
}

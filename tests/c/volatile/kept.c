// A volatile variable that nobody names keeps its value, which is said; so is each of them, however it is reached.
// run: check --args none
// verdict: verified
// assumption: the volatile variable `ticks` changes only where the program writes it (--volatile-any ticks)
// assumption: the volatile variable `status` changes only where the program writes it (--volatile-any status)
#include <assert.h>

static volatile unsigned ticks;
static struct { volatile unsigned char is_ready : 1; } status;

int main(void)
{
    volatile unsigned *clock = &ticks;
    unsigned start = *clock;
    assert(*clock == start && !status.is_ready);
}

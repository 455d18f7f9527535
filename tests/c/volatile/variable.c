// A variable that something outside the program changes.
// run: check --volatile-any ticks
// run: check => verified
// verdict: violated assertion
#include <assert.h>

static volatile unsigned ticks;

int main(void)
{
    unsigned start = ticks;
    assert(ticks >= start); // fails
    return 0;
}

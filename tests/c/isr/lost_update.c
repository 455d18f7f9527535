// A handler comes between the read and the write of an increment; volatile does not help against that.
// run: check --isr tick:0:1
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: violated assertion
#include <assert.h>

static volatile int count, n_ticks;

void tick(void)
{
    count++;
    n_ticks++;
}

int main(void)
{
    count++;
    count++;
    __unpick_disable_interrupts();
    assert(count == 2 + n_ticks); // fails
    return 0;
}

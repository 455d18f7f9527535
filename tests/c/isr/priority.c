// A handler is interrupted by one of higher priority only.
// run: check --isr low:1:1 --isr high:2:1
// run: check --isr low:1:1 --isr high:1:1 => verified
// run: check --isr low:2:1 --isr high:1:1 => verified
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: violated assertion
#include <assert.h>

static volatile int in_low;

void low(void)
{
    in_low = 1;
    in_low = 0;
}

void high(void)
{
    assert(!in_low); // fails
}

int main(void)
{
    return 0;
}

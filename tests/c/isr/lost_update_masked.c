// With interrupts off nothing comes between.
// run: check --isr tick:0:2
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: verified
// assumption: `__disable_irq` has no body: assumed to turn interrupts off
#include <assert.h>
void __disable_irq(void);
void __enable_irq(void);

static int count;

void tick(void)
{
    count++;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        __disable_irq();
        int seen = count;
        count++;
        assert(count == seen + 1);
        __enable_irq();
    }
    __disable_irq();
    assert(count >= 2 && count <= 4);
    return 0;
}

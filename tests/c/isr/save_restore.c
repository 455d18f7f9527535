// What a lock of interrupts returns brings them back to what they were.
// run: check --isr tick
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: verified
#include <assert.h>
unsigned irq_lock(void);
void irq_unlock(unsigned key);

static int shared;

void tick(void)
{
    shared = 1;
}

static void clear(void)
{
    unsigned key = irq_lock();
    shared = 0;
    irq_unlock(key);
}

int main(void)
{
    unsigned key = irq_lock();
    assert(key == 0);
    clear();
    assert(shared == 0);
    irq_unlock(key);
    return 0;
}

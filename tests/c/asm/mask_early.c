// Interrupts turned on too early: the handler comes between the read and the write of an increment.
// run: check --isr tick:0:2
// with: --reduce none | --reduce dpor
// verdict: violated assertion
#include <assert.h>

static volatile int count, n_ticks;

void tick(void)
{
    count++;
    n_ticks++;
}

static unsigned lock(void)
{
    unsigned before;
    __asm__ volatile("mrs %[before], primask\n\tcpsid i" : [before] "=r"(before)::"memory");
    return before;
}

static void unlock(unsigned before)
{
    __asm__ volatile("msr primask, %0" ::"r"(before) : "memory");
}

int main(void)
{
    unsigned outer = lock();
    assert(outer == 0);
    unsigned inner = lock();
    assert(inner == 1);
    count++;
    unlock(outer);
    count++;
    unlock(outer);
    __asm__ volatile("wfi");
    __asm__ volatile("cpsid i" ::: "memory");
    assert(count == 2 + n_ticks); // fails
    return 0;
}

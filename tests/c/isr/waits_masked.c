// Waiting with interrupts off for something that a handler would do.
// run: check --isr post:0:2
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: violated deadlock
// stdout: with interrupts off
#include <semaphore.h>

static sem_t event;

void post(void)
{
    sem_post(&event);
}

int main(void)
{
    sem_init(&event, 0, 0);
    int was_off = __unpick_disable_interrupts();
    sem_wait(&event); // fails
    if (!was_off)
        __unpick_enable_interrupts();
    return 0;
}

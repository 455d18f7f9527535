// A handler wakes a thread.
// run: check --isr post:0:1 --config start_off.toml
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: verified
#include <assert.h>
#include <semaphore.h>

static sem_t event;
static int value;

void post(void)
{
    value = 7;
    sem_post(&event);
}

int main(void)
{
    sem_init(&event, 0, 0);
    __unpick_enable_interrupts();
    sem_wait(&event);
    assert(value == 7);
    return 0;
}

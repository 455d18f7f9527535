// A handler that comes only once cannot wake twice.
// run: check --isr post:0:1 --config start_off.toml
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: violated deadlock
#include <semaphore.h>

static sem_t event;

void post(void)
{
    sem_post(&event);
}

int main(void)
{
    sem_init(&event, 0, 0);
    __unpick_enable_interrupts();
    sem_wait(&event);
    sem_wait(&event); // fails
    return 0;
}

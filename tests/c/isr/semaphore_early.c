// The interrupt may come before the semaphore is made, and is forgotten then.
// run: check --isr post:0:1
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: violated deadlock
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
    sem_wait(&event); // fails
    assert(value == 7);
    return 0;
}

// One processor: a thread in a critical section is not preempted by other threads either.
// run: check --isr tick:0:1
// with: --reduce global-access | --reduce dpor
// verdict: verified
#include <assert.h>
#include <pthread.h>
void taskENTER_CRITICAL(void);
void taskEXIT_CRITICAL(void);

static int shared;

void tick(void)
{
    shared++;
}

static void *task(void *unused)
{
    taskENTER_CRITICAL();
    shared++;
    taskEXIT_CRITICAL();
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, task, 0);
    pthread_create(&two, 0, task, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    taskENTER_CRITICAL();
    assert(shared == 2 || shared == 3);
    taskEXIT_CRITICAL();
    return 0;
}

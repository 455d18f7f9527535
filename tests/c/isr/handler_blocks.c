// A handler that waits for a lock of the code it interrupted never gets it.
// run: check --isr tick:0:2
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: violated deadlock
// stdout: the interrupt handler `tick` waits
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

void tick(void)
{
    pthread_mutex_lock(&lock); // fails
    count++;
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return 0;
}

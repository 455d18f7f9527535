// Near miss: whoever looks and waits under one lock loses no signal.
// run: check
// verdict: verified
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signal_of = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *wait_for_it(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&signal_of, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t waiter;
    pthread_create(&waiter, 0, wait_for_it, 0);
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&signal_of);
    pthread_mutex_unlock(&lock);
    pthread_join(waiter, 0);
    return 0;
}

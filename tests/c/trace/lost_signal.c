// A signal that comes before the wait is lost: the line that signalled stays in the picture.
// run: check
// verdict: violated deadlock
// stdout: &signal_of was signalled at lost_signal.c:32, while nobody waited
// stdout: signals &signal_of while nobody waits
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signal_of = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *wait_for_it(void *unused)
{
    int seen;
    pthread_mutex_lock(&lock);
    seen = is_ready;
    pthread_mutex_unlock(&lock);
    if (!seen) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&signal_of, &lock); // fails
        pthread_mutex_unlock(&lock);
    }
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

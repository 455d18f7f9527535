// Nobody signals the condition that the other thread waits for.
// run: check --no-spurious
// verdict: violated deadlock
// stdout: thread 0 waits for the end of thread 1; thread 1 waits for a signal of &changed
// stdout: waits for the end of thread 1; it holds &other
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *wait(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&changed, &lock); // fails
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, wait, 0);
    pthread_mutex_lock(&other);
    pthread_join(one, 0); // fails
    return 0;
}

// The signal has come, but the mutex that belongs to the wait is never given back: a circle through a join.
// run: check --no-spurious
// verdict: violated deadlock
// stdout: thread 0 holds &lock, waits for the end of thread 1, which waits for &lock
// stdout: in pthread_cond_wait() at deadlock_woken.c:16: waits for &lock, held by thread 0
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_waiting;

static void *wait(void *unused)
{
    is_waiting = 1;
    pthread_cond_wait(&changed, &lock); // fails
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *run(void *unused)
{
    pthread_mutex_lock(&lock);
    return wait(unused);
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, run, 0);
    pthread_mutex_lock(&lock);
    if (!is_waiting)
        exit(0);
    pthread_cond_signal(&changed);
    pthread_join(one, 0); // fails
    pthread_mutex_unlock(&lock);
    return 0;
}

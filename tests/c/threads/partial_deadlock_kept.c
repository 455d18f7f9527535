// A thread ends with a mutex that it holds; who waits for it waits for ever, also if the program goes on or ends.
// run: check
// run: check --shortest
// run: check --table-from 0
// with: --reduce none | --reduce global-access | --reduce superstep
// verdict: violated deadlock
// stdout: which has ended
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;

static void *keep(void *unused)
{
    pthread_mutex_lock(&a);
    return unused;
}

static void *wait(void *unused)
{
    pthread_mutex_lock(&a); // fails
    pthread_mutex_unlock(&a);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, keep, 0);
    pthread_join(first, 0);
    pthread_create(&second, 0, wait, 0);
    return 0;
}

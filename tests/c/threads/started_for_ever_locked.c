// Nothing is wrong among the threads that are followed, and the bound is named.
// run: check --threads 3 --time 3s
// verdict: unknown more than 3 threads at once were not followed
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned n;

static void *count(void *unused)
{
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, count, 0);
}

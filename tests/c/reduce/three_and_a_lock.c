// Three threads and one lock: whoever is held up gives way to whoever is not, so that nobody is stuck,
// however few preemptions there may be, and two are enough to see everything.
// run: check => verified
// run: check --reduce global-access => verified
// run: check --preemptions 0 => unknown no violation within 0 preemptions
// run: check --preemptions 1 => unknown no violation within 1 preemption
// run: check --preemptions 2 => verified
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *worker(void *unused)
{
    pthread_mutex_lock(&mutex);
    n++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(n == 3);
    return 0;
}

// Two producers and two consumers share a buffer of one place; one condition variable for all needs a broadcast.
// run: check --no-spurious => verified
// run: check --no-spurious -Dpthread_cond_broadcast=pthread_cond_signal => violated deadlock
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int slot, n_taken;

static void *produce(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (slot != 0)
        pthread_cond_wait(&changed, &mutex); // fails
    slot = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (slot == 0)
        pthread_cond_wait(&changed, &mutex); // fails
    slot = 0;
    n_taken++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, i % 2 == 0 ? produce : consume, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(slot == 0 && n_taken == 2);
    return 0;
}

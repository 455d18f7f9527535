// A bounded buffer with one condition variable for both sides: a signal may wake the wrong one.
// verdict: violated deadlock
// flags: --no-spurious
// row: small -DPRODUCERS=2 -DCONSUMERS=1 -DITEMS=2
// row: medium -DPRODUCERS=2 -DCONSUMERS=2 -DITEMS=2
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int slot, is_full;

static void *produce(void *unused)
{
    for (int item = 1; item <= ITEMS; item++) {
        pthread_mutex_lock(&mutex);
        while (is_full)
            pthread_cond_wait(&changed, &mutex);
        slot = item;
        is_full = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS * PRODUCERS / CONSUMERS; i++) {
        pthread_mutex_lock(&mutex);
        while (!is_full)
            pthread_cond_wait(&changed, &mutex);
        slot = 0;
        is_full = 0;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[PRODUCERS + CONSUMERS];
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_create(&threads[i], 0, i < PRODUCERS ? produce : consume, 0);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}

// A bounded buffer with a mutex and two condition variables.
// verdict: verified
// flags: --no-spurious
// row: small -DSIZE=1 -DPRODUCERS=1 -DCONSUMERS=1 -DITEMS=2
// row: medium -DSIZE=2 -DPRODUCERS=2 -DCONSUMERS=1 -DITEMS=2
// row: medium -DSIZE=2 -DPRODUCERS=2 -DCONSUMERS=2 -DITEMS=3
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slots[SIZE], first, n_used, n_taken;

static void *produce(void *unused)
{
    for (int item = 1; item <= ITEMS; item++) {
        pthread_mutex_lock(&mutex);
        while (n_used == SIZE)
            pthread_cond_wait(&not_full, &mutex);
        slots[(first + n_used) % SIZE] = item;
        n_used++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS * PRODUCERS / CONSUMERS; i++) {
        pthread_mutex_lock(&mutex);
        while (n_used == 0)
            pthread_cond_wait(&not_empty, &mutex);
        int item = slots[first];
        slots[first] = 0;
        first = (first + 1) % SIZE;
        n_used--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
        assert(item > 0);
        pthread_mutex_lock(&mutex);
        n_taken++;
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
    assert(n_taken == ITEMS * PRODUCERS && n_used == 0);
    return 0;
}

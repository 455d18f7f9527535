// A bounded buffer with two counting semaphores and a mutex.
// verdict: verified
// row: small -DSIZE=1 -DPRODUCERS=1 -DCONSUMERS=1 -DITEMS=2
// row: medium -DSIZE=2 -DPRODUCERS=2 -DCONSUMERS=1 -DITEMS=2
// row: medium -DSIZE=2 -DPRODUCERS=2 -DCONSUMERS=2 -DITEMS=4
// row: large -DSIZE=3 -DPRODUCERS=3 -DCONSUMERS=3 -DITEMS=3
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t free_slots, used_slots;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int slots[SIZE], first, last;

static void *produce(void *unused)
{
    for (int item = 1; item <= ITEMS; item++) {
        sem_wait(&free_slots);
        pthread_mutex_lock(&mutex);
        slots[last] = item;
        last = (last + 1) % SIZE;
        pthread_mutex_unlock(&mutex);
        sem_post(&used_slots);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS * PRODUCERS / CONSUMERS; i++) {
        sem_wait(&used_slots);
        pthread_mutex_lock(&mutex);
        int item = slots[first];
        slots[first] = 0;
        first = (first + 1) % SIZE;
        pthread_mutex_unlock(&mutex);
        sem_post(&free_slots);
        assert(item > 0);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[PRODUCERS + CONSUMERS];
    sem_init(&free_slots, 0, SIZE);
    sem_init(&used_slots, 0, 0);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_create(&threads[i], 0, i < PRODUCERS ? produce : consume, 0);
    for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], 0);
    assert(first == last);
    return 0;
}

// Producer and consumer with two semaphores take turns; the data between them needs no other lock.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t empty, full;
static int slot;

static void *produce(void *unused)
{
    for (int i = 1; i <= 3; i++) {
        sem_wait(&empty);
        slot = i;
        sem_post(&full);
    }
    return unused;
}

int main(void)
{
    pthread_t producer;
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_create(&producer, 0, produce, 0);
    for (int i = 1; i <= 3; i++) {
        sem_wait(&full);
        assert(slot == i);
        sem_post(&empty);
    }
    pthread_join(producer, 0);
    return 0;
}

// Readers share a room that writers have for themselves: a mutex for the count and a semaphore for the room.
// verdict: verified
// row: small -DREADERS=1 -DWRITERS=1 -DROUNDS=1
// row: medium -DREADERS=2 -DWRITERS=1 -DROUNDS=2
// row: medium -DREADERS=3 -DWRITERS=2 -DROUNDS=2
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static int n_readers, left, right;

static void *reader(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&mutex);
        n_readers++;
        if (n_readers == 1)
            sem_wait(&room);
        pthread_mutex_unlock(&mutex);
        int seen = left;
        assert(seen == right);
        pthread_mutex_lock(&mutex);
        n_readers--;
        if (n_readers == 0)
            sem_post(&room);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *writer(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        sem_wait(&room);
        left++;
        right++;
        sem_post(&room);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[READERS + WRITERS];
    sem_init(&room, 0, 1);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_create(&threads[i], 0, i < READERS ? reader : writer, 0);
    for (int i = 0; i < READERS + WRITERS; i++)
        pthread_join(threads[i], 0);
    assert(left == ROUNDS * WRITERS);
    return 0;
}

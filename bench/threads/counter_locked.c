// Threads count a shared counter up under a mutex.
// verdict: verified
// row: small -DN=2 -DROUNDS=2
// row: medium -DN=3 -DROUNDS=8
// row: medium -DN=5 -DROUNDS=6
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(counter == N * ROUNDS);
    return 0;
}

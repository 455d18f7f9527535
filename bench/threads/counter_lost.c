// Reading and writing a counter in two steps loses updates.
// verdict: violated assertion
// row: small -DN=2 -DROUNDS=1
// row: small -DN=3 -DROUNDS=2
#include <assert.h>
#include <pthread.h>

static _Atomic int counter;

static void *worker(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        int seen = counter;
        counter = seen + 1;
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

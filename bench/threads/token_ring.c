// A token goes round a ring of semaphores while every node also does work of its own.
// verdict: verified
// row: small -DN=3 -DROUNDS=1
// row: medium -DN=4 -DROUNDS=2
// row: medium -DN=6 -DROUNDS=3
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t turns[N];
static int token, work[N];

static void *node(void *argument)
{
    int self = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        work[self]++;
        sem_wait(&turns[self]);
        assert(token == round * N + self);
        token++;
        sem_post(&turns[(self + 1) % N]);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        sem_init(&turns[i], 0, i == 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, node, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(token == N * ROUNDS);
    for (int i = 0; i < N; i++)
        assert(work[i] == ROUNDS);
    return 0;
}

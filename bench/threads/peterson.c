// Peterson's algorithm on atomic variables.
// verdict: verified
// row: small -DROUNDS=1
// row: small -DROUNDS=3
// row: medium -DROUNDS=60
#include <assert.h>
#include <pthread.h>

static _Atomic int wants[2], turn;
static int inside;

static void *worker(void *argument)
{
    int self = (int)(long)argument, other = 1 - self;
    for (int round = 0; round < ROUNDS; round++) {
        wants[self] = 1;
        turn = other;
        while (wants[other] && turn == other) {
        }
        inside++;
        assert(inside == 1);
        inside--;
        wants[self] = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}

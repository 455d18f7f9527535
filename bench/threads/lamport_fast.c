// Lamport's fast mutual exclusion: few steps when nobody competes.
// verdict: verified
// row: small -DN=2 -DROUNDS=1
// row: medium -DN=2 -DROUNDS=8
// row: medium -DN=3 -DROUNDS=1
#include <assert.h>
#include <pthread.h>

static _Atomic int busy[N], x, y;
static int inside;

static void enter(int self)
{
    for (;;) {
        busy[self] = 1;
        x = self + 1;
        if (y != 0) {
            busy[self] = 0;
            while (y != 0) {
            }
            continue;
        }
        y = self + 1;
        if (x == self + 1)
            return;
        busy[self] = 0;
        for (int i = 0; i < N; i++)
            while (busy[i]) {
            }
        if (y == self + 1)
            return;
        while (y != 0) {
        }
    }
}

static void *worker(void *argument)
{
    int self = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        enter(self);
        inside++;
        assert(inside == 1);
        inside--;
        y = 0;
        busy[self] = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

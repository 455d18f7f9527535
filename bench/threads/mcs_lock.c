// A queue lock in which everyone spins on a flag of its own, nodes in an array.
// verdict: verified
// row: small -DN=2 -DROUNDS=1
// row: medium -DN=3 -DROUNDS=2
// row: large -DN=4 -DROUNDS=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int tail, next[N], is_locked[N];
static int inside;

static void enter(int self)
{
    next[self] = 0;
    int before = atomic_exchange(&tail, self + 1);
    if (before == 0)
        return;
    is_locked[self] = 1;
    next[before - 1] = self + 1;
    while (is_locked[self]) {
    }
}

static void leave(int self)
{
    int after = next[self];
    if (after == 0) {
        int expected = self + 1;
        if (atomic_compare_exchange_strong(&tail, &expected, 0))
            return;
        do
            after = next[self];
        while (after == 0);
    }
    is_locked[after - 1] = 0;
}

static void *worker(void *argument)
{
    int self = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        enter(self);
        inside++;
        assert(inside == 1);
        inside--;
        leave(self);
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

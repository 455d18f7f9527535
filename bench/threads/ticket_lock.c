// A ticket lock: numbers by fetch-and-add, served in order.
// verdict: verified
// row: small -DN=2 -DROUNDS=1
// row: medium -DN=4 -DROUNDS=2
// row: medium -DN=5 -DROUNDS=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int next, serving;
static int inside;

static void *worker(void *unused)
{
    for (int round = 0; round < ROUNDS; round++) {
        int mine = atomic_fetch_add(&next, 1);
        while (serving != mine) {
        }
        inside++;
        assert(inside == 1);
        inside--;
        serving = mine + 1;
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
    return 0;
}

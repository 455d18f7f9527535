// Peterson's algorithm whose threads wait for the wrong turn lets both in.
// run: check --property assertion
// with: --reduce none | --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static _Atomic int wants[2], turn, inside;

static void *worker(void *argument)
{
    int self = argument != 0, other = 1 - self;
    for (int round = 0; round < 2; round++) {
        wants[self] = 1;
        turn = self;
        while (wants[other] && turn == other) {
        }
        inside++;
        assert(inside == 1); // fails
        inside--;
        wants[self] = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, worker, 0);
    pthread_create(&threads[1], 0, worker, &inside);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}

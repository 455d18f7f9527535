// A sense-reversing barrier on atomic variables: nobody is a phase ahead.
// verdict: verified
// row: small -DN=2 -DPHASES=2
// row: medium -DN=3 -DPHASES=3
// row: medium -DN=5 -DPHASES=3
// row: large -DN=6 -DPHASES=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int n_missing = N, sense;
static int done[N];

static void *worker(void *argument)
{
    int self = (int)(long)argument, my_sense = 0;
    for (int phase = 1; phase <= PHASES; phase++) {
        done[self] = phase;
        my_sense = !my_sense;
        if (atomic_fetch_sub(&n_missing, 1) == 1) {
            n_missing = N;
            sense = my_sense;
        } else {
            while (sense != my_sense) {
            }
        }
        assert(done[(self + 1) % N] == phase);
        my_sense = !my_sense;
        if (atomic_fetch_sub(&n_missing, 1) == 1) {
            n_missing = N;
            sense = my_sense;
        } else {
            while (sense != my_sense) {
            }
        }
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

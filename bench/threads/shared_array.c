// Threads fill disjoint parts of one array without any lock.
// verdict: verified
// row: small -DN=2 -DPART=4
// row: medium -DN=4 -DPART=12
// row: large -DN=6 -DPART=9
#include <assert.h>
#include <pthread.h>

static int cells[N * PART];

static void *fill(void *argument)
{
    int self = (int)(long)argument;
    for (int i = 0; i < PART; i++)
        cells[self * PART + i] = self + 1;
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, fill, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < N * PART; i++)
        assert(cells[i] == i / PART + 1);
    return 0;
}

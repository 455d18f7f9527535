// Two robots on a board of SIZE x SIZE, one walks every other row, one every other column: where they may meet.
// verdict: verified
// row: small -DSIZE=3
// row: medium -DSIZE=12
// row: large -DSIZE=48
#include <assert.h>
#include <pthread.h>

static _Atomic int position[2];

static void *walk(void *argument)
{
    int self = (int)(long)argument;
    for (int lane = 0; lane < SIZE; lane += 2)
        for (int i = 0; i < SIZE; i++) {
            int here = self == 0 ? lane * SIZE + i : i * SIZE + lane;
            position[self] = here;
            if (position[1 - self] == here)
                assert(here / SIZE % 2 == 0 && here % SIZE % 2 == 0);
        }
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, walk, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}

// Threads that write different elements of one array do not disturb each other.
// run: check => verified
// run: check --property race -DSTRIDE=3 => violated data-race
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

#ifndef STRIDE
#define STRIDE 4
#endif

static int cells[9];

static void *fill(void *argument)
{
    int self = argument != 0;
    for (int i = 0; i < 4; i++)
        cells[self * STRIDE + i] = self + 1; // fails
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, fill, 0);
    pthread_create(&threads[1], 0, fill, cells);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    for (int i = 0; i < 8; i++)
        assert(cells[i] == i / 4 + 1);
    return 0;
}

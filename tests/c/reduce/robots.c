// Two robots on a board, one walks every other row, one every other column: they meet where both are even, nowhere
// else, and may well meet in the far corner.
// run: check -DSIZE=3 => verified
// run: check -DSIZE=5 => verified
// run: check -DSIZE=3 -DCORNER => violated assertion
// run: check -DSIZE=5 -DCORNER => violated assertion
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

static _Atomic int position[2];

static void *walk(void *argument)
{
    int self = argument != 0;
    for (int lane = 0; lane < SIZE; lane += 2)
        for (int i = 0; i < SIZE; i++) {
            int here = self == 0 ? lane * SIZE + i : i * SIZE + lane;
            position[self] = here;
            if (position[1 - self] != here)
                continue;
            assert(here / SIZE % 2 == 0 && here % SIZE % 2 == 0);
#ifdef CORNER
            assert(here != SIZE * SIZE - 1); // fails
#endif
        }
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, walk, 0);
    pthread_create(&threads[1], 0, walk, &position);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}

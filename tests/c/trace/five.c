// Five threads beside each other on a wide screen.
// run: check --property assertion --width 160
// exit: 1
// stdout: steps in five.c
// stdout: | thread 1
// stdout: | thread 4
// stdout: context switches,
#include <assert.h>
#include <pthread.h>

static int turn;

static void *step(void *argument)
{
    int mine = *(int *)argument;
    int seen = turn;
    turn = seen + mine;
    return 0;
}

int main(void)
{
    static int numbers[4] = {1, 2, 4, 8};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, step, &numbers[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(turn == 15);
    return 0;
}

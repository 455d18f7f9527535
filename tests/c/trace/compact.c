// Five threads do not fit beside each other: the compact form names the thread on each line.
// run: check --property assertion --width 60
// run: check --property assertion --width 100
// exit: 1
// stdout: [4]
// stdout: -- thread 0
// stdout: (preemption: thread
// stdout: could have gone on) --
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

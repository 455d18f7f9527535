// Two threads beside each other: what a line had read when the other one came between, and the mark of the preemption.
// run: check --property assertion --width 60
// run: check --property assertion --width 100
// run: check --property assertion --width 160
// exit: 1
// stdout: steps in columns.c):
// stdout: > switch; ! preemption: the other could have gone on
// stdout: thread 0
// stdout: | thread 1
// stdout: read shared: 0
// stdout: ... shared = shared
// stdout: shared: 1 -> 1
// stdout: preemption
#include <assert.h>
#include <pthread.h>

static int shared;

static void *up(void *unused)
{
    shared = shared + 1;
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, up, 0);
    shared = shared + 1;
    pthread_join(one, 0);
    assert(shared == 2);
    return 0;
}

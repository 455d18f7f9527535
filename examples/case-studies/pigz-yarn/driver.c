// Threads are launched, work under a lock, and are all joined; then the lock is freed.
//
//   unpick check --property default,leak -I $PIGZ driver.c $PIGZ/yarn.c
//
// with $PIGZ a checkout of madler/pigz. Every misuse of a lock or a thread is an error of yarn itself; `yarn_abort` says so.
#include <assert.h>
#include <stdlib.h>

#include "yarn.h"

#ifndef THREADS
#define THREADS 2
#endif

static lock *turn;
static int sum;

static void refuse(int error)
{
    (void)error;
    assert(!"yarn gives up");
}

static void probe(void *argument)
{
    possess(turn);
    sum += *(int *)argument;
    twist(turn, BY, 1);
}

int main(void)
{
    int parts[THREADS];

    yarn_abort = refuse;
    turn = new_lock(0);
    for (int i = 0; i < THREADS; i++) {
        parts[i] = i + 1;
        launch(probe, &parts[i]);
    }
    possess(turn);
    wait_for(turn, TO_BE, THREADS);
    assert(sum == THREADS * (THREADS + 1) / 2);
    release(turn);
    assert(join_all() == THREADS);
    free_lock(turn);
    return 0;
}

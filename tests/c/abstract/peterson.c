// States matched by flags and turn only: far fewer of them, and no proof; what is found is real all the same.
// run: check --property assertion => verified
// run: check --property assertion --abstract summary => unknown
// run: check --property assertion --unmatched count => unknown
// run: check --property assertion -DBROKEN --abstract summary => violated assertion
// stdout: states
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;
static int count[2];
static int abstract_key[5];

void summary(void)
{
    abstract_key[0] = wants[0];
    abstract_key[1] = wants[1];
    abstract_key[2] = turn;
    abstract_key[3] = inside;
    abstract_key[4] = count[0] + count[1] > 3;
}

static void *work(void *argument)
{
    int me = argument != 0;
    for (int i = 0; i < 3; i++) {
        wants[me] = 1;
        turn = me;
#ifndef BROKEN
        while (wants[1 - me] && turn == me)
            ;
#endif
        inside++;
        assert(inside == 1); // fails
        inside--;
        count[me]++;
        wants[me] = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, work, (void *)1);
    work(0);
    pthread_join(other, 0);
    return 0;
}

/* A token goes round a ring of semaphores. */
#include "locks.pml"
byte turns[N], token, work[N];

proctype node(byte me)
{
    byte round, seen;
    do
    :: round < ROUNDS ->
        seen = work[me];
        work[me] = seen + 1;
        seen = 0;
        sem_wait(turns[me]);
        assert(token == round * N + me);
        seen = token;
        token = seen + 1;
        seen = 0;
        sem_post(turns[(me + 1) % N]);
        round++
    :: else -> break
    od
}

init {
    byte k;
    turns[0] = 1;
    atomic { do :: k < N -> run node(k); k++ :: else -> break od };
    join_all;
    assert(token == N * ROUNDS);
    k = 0;
    do :: k < N -> assert(work[k] == ROUNDS); k++ :: else -> break od
}

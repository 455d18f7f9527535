/* Threads count a shared counter up under a mutex. */
#include "locks.pml"
bit mutex;
byte counter;

proctype worker()
{
    byte round, seen;
    do
    :: round < ROUNDS -> lock(mutex); seen = counter; counter = seen + 1; seen = 0; unlock(mutex); round++
    :: else -> break
    od
}

init {
    byte k;
    atomic { do :: k < N -> run worker(); k++ :: else -> break od };
    join_all;
    assert(counter == N * ROUNDS)
}

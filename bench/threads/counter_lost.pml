/* Reading and writing a counter in two steps. */
#include "locks.pml"
byte counter;

proctype worker()
{
    byte round, seen;
    do
    :: round < ROUNDS -> seen = counter; counter = seen + 1; seen = 0; round++
    :: else -> break
    od
}

init {
    byte k;
    atomic { do :: k < N -> run worker(); k++ :: else -> break od };
    join_all;
    assert(counter == N * ROUNDS)
}

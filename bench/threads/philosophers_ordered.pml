/* Philosophers who take the lower fork first. */
#include "locks.pml"
bit forks[N];
byte uses[N];

proctype dine(byte first, second)
{
    byte seen;
    lock(forks[first]);
    lock(forks[second]);
    seen = uses[first];
    uses[first] = seen + 1;
    seen = uses[second];
    uses[second] = seen + 1;
    seen = 0;
    unlock(forks[second]);
    unlock(forks[first])
}

init {
    byte k;
    atomic { do :: k < N - 1 -> run dine(k, k + 1); k++ :: else -> break od; run dine(0, N - 1) };
    join_all;
    k = 0;
    do :: k < N -> assert(uses[k] == 2); k++ :: else -> break od
}

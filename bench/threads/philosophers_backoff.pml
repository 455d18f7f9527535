/* Philosophers who put the first fork back when the second is taken. */
#include "locks.pml"
bit forks[N];
byte meals[N];

proctype dine(byte me)
{
    byte seen;
    do
    ::  lock(forks[me]);
        if
        :: atomic { forks[(me + 1) % N] == 0 -> forks[(me + 1) % N] = 1 }; break
        :: atomic { else -> skip }
        fi;
        unlock(forks[me])
    od;
    seen = meals[me];
    meals[me] = seen + 1;
    seen = 0;
    unlock(forks[(me + 1) % N]);
    unlock(forks[me])
}

init {
    byte k;
    atomic { do :: k < N -> run dine(k); k++ :: else -> break od };
    join_all;
    k = 0;
    do :: k < N -> assert(meals[k] == 1); k++ :: else -> break od
}

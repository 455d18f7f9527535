/* Philosophers who all take the left fork first. */
#include "locks.pml"
bit forks[N];
byte meals[N];

proctype dine(byte me)
{
    byte round, seen;
    do
    :: round < 2 ->
        lock(forks[me]);
        lock(forks[(me + 1) % N]);
        seen = meals[me];
        meals[me] = seen + 1;
        seen = 0;
        unlock(forks[(me + 1) % N]);
        unlock(forks[me]);
        round++
    :: else -> break
    od
}

init { byte k; atomic { do :: k < N -> run dine(k); k++ :: else -> break od }; join_all }

/* Workers take numbered jobs from a list under a mutex and work on them without it. */
#include "locks.pml"
bit mutex;
byte next_job, results[JOBS];

proctype worker()
{
    byte job, step, seen;
    do
    ::  lock(mutex);
        job = next_job;
        if
        :: job < JOBS -> next_job = job + 1
        :: else
        fi;
        unlock(mutex);
        if
        :: job >= JOBS -> break
        :: else
        fi;
        do
        :: step < 3 -> seen = results[job]; results[job] = seen + job; step++
        :: else -> break
        od;
        seen = 0;
        step = 0
    od
}

init {
    byte k;
    atomic { do :: k < N -> run worker(); k++ :: else -> break od };
    join_all;
    k = 0;
    do :: k < JOBS -> assert(results[k] == 3 * k); k++ :: else -> break od
}

/* Readers share a room that writers have for themselves. */
#include "locks.pml"
bit mutex;
byte room = 1, n_readers, left, right;

proctype reader()
{
    byte round, seen;
    do
    :: round < ROUNDS ->
        lock(mutex);
        seen = n_readers;
        n_readers = seen + 1;
        seen = 0;
        if
        :: n_readers == 1 -> sem_wait(room)
        :: else
        fi;
        unlock(mutex);
        seen = left;
        assert(seen == right);
        lock(mutex);
        seen = n_readers;
        n_readers = seen - 1;
        seen = 0;
        if
        :: n_readers == 0 -> sem_post(room)
        :: else
        fi;
        unlock(mutex);
        round++
    :: else -> break
    od
}

proctype writer()
{
    byte round, seen;
    do
    :: round < ROUNDS ->
        sem_wait(room);
        seen = left;
        left = seen + 1;
        seen = right;
        right = seen + 1;
        seen = 0;
        sem_post(room);
        round++
    :: else -> break
    od
}

init {
    byte k;
    atomic {
        do :: k < READERS -> run reader(); k++ :: else -> break od;
        do :: k < READERS + WRITERS -> run writer(); k++ :: else -> break od
    };
    join_all;
    assert(left == ROUNDS * WRITERS)
}

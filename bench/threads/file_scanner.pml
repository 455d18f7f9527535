/* A parallel file scanner. */
#include "locks.pml"
#define LENGTH 3
#define ROOM 2
#define is_a(file, i) ((file == 0 && i != 1) || (file == 1 && i == 2) || file == 3)
bit mutex, total_mutex, is_closed;
byte not_full, not_empty, queue[ROOM], first, n_queued, n_found;

proctype scan(byte me)
{
    byte file, i, n_here, seen;
    do
    ::  lock(mutex);
        do
        :: n_queued != 0 -> break
        :: else ->
            if
            :: is_closed -> break
            :: else -> wait(not_empty, mutex)
            fi
        od;
        if
        :: n_queued == 0 -> unlock(mutex); break
        :: else
        fi;
        seen = first;
        file = queue[seen];
        seen = first;
        first = (seen + 1) % ROOM;
        seen = n_queued;
        n_queued = seen - 1;
        seen = 0;
        signal(not_full);
        unlock(mutex);
        do
        :: i < LENGTH -> n_here = n_here + is_a(file, i); i++
        :: else -> break
        od;
        i = 0;
        file = 0;
        lock(total_mutex);
        seen = n_found;
        n_found = seen + n_here;
        seen = 0;
        n_here = 0;
        unlock(total_mutex)
    od
}

init {
    byte me = N, k, seen, at;
    atomic { do :: k < N -> run scan(k); k++ :: else -> break od };
    k = 0;
    do
    :: k < FILES ->
        lock(mutex);
        do
        :: n_queued == ROOM -> wait(not_full, mutex)
        :: else -> break
        od;
        at = first;
        seen = n_queued;
        queue[(at + seen) % ROOM] = k;
        seen = n_queued;
        n_queued = seen + 1;
        seen = 0;
        at = 0;
        signal(not_empty);
        unlock(mutex);
        k++
    :: else -> break
    od;
    lock(mutex);
    is_closed = 1;
    broadcast(not_empty);
    unlock(mutex);
    join_all;
    assert(n_found == (FILES == 2 -> 3 : (FILES == 3 -> 3 : 6)))
}

/* Lamport's fast mutual exclusion. */
#include "locks.pml"
bit busy[N];
byte x, y, inside;

proctype worker(byte me)
{
    byte round, seen, i;
    do
    :: round < ROUNDS ->
again:  busy[me] = 1;
        x = me + 1;
        if
        :: y != 0 -> busy[me] = 0; (y == 0); goto again
        :: else
        fi;
        y = me + 1;
        if
        :: x == me + 1 -> goto critical
        :: else
        fi;
        busy[me] = 0;
        i = 0;
        do
        :: i < N -> (busy[i] == 0); i++
        :: else -> break
        od;
        i = 0;
        if
        :: y == me + 1
        :: else -> (y == 0); goto again
        fi;
critical:
        seen = inside;
        inside = seen + 1;
        assert(inside == 1);
        seen = inside;
        inside = seen - 1;
        seen = 0;
        y = 0;
        busy[me] = 0;
        round++
    :: else -> break
    od
}

init { byte k; atomic { do :: k < N -> run worker(k); k++ :: else -> break od }; join_all }

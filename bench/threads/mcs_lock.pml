/* A queue lock in which everyone spins on a flag of its own. */
#include "locks.pml"
byte tail, next[N], inside;
bit is_locked[N];

proctype worker(byte me)
{
    byte round, seen, other;
    do
    :: round < ROUNDS ->
        next[me] = 0;
        d_step { other = tail; tail = me + 1 };
        if
        :: other == 0
        :: else ->
            is_locked[me] = 1;
            next[other - 1] = me + 1;
            (is_locked[me] == 0)
        fi;
        seen = inside;
        inside = seen + 1;
        assert(inside == 1);
        seen = inside;
        inside = seen - 1;
        seen = 0;
        other = next[me];
        if
        :: other == 0 ->
            if
            :: atomic { tail == me + 1 -> tail = 0 }; goto left
            :: atomic { else -> skip }
            fi;
            atomic { next[me] != 0 -> other = next[me] }
        :: else
        fi;
        is_locked[other - 1] = 0;
left:   other = 0;
        round++
    :: else -> break
    od
}

init { byte k; atomic { do :: k < N -> run worker(k); k++ :: else -> break od }; join_all }

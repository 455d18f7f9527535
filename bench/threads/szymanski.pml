/* Szymanski's algorithm. */
#include "locks.pml"
byte flag[N];
byte inside;

proctype worker(byte me)
{
    byte round, seen, i;
    do
    :: round < ROUNDS ->
        flag[me] = 1;
        i = 0;
        do
        :: i < N -> (flag[i] < 3); i++
        :: else -> break
        od;
        flag[me] = 3;
        i = 0;
        do
        :: i < N ->
            if
            :: flag[i] == 1 -> goto outside
            :: else -> i++
            fi
        :: else -> break
        od;
        goto last;
outside:
        flag[me] = 2;
        i = 0;
        do
        :: flag[i] == 4 -> break
        :: else -> i = (i + 1) % N
        od;
last:   flag[me] = 4;
        i = 0;
        do
        :: i < me -> (flag[i] < 2); i++
        :: else -> break
        od;
        i = 0;
        seen = inside;
        inside = seen + 1;
        assert(inside == 1);
        seen = inside;
        inside = seen - 1;
        seen = 0;
        i = me + 1;
        do
        :: i < N -> (flag[i] < 2 || flag[i] == 4); i++
        :: else -> break
        od;
        i = 0;
        flag[me] = 0;
        round++
    :: else -> break
    od
}

init { byte k; atomic { do :: k < N -> run worker(k); k++ :: else -> break od }; join_all }

/* Lamport's bakery. */
#include "locks.pml"
bit choosing[N];
byte number[N];
byte inside;

proctype worker(byte me)
{
    byte round, seen, mine, i;
    do
    :: round < ROUNDS ->
        mine = 0;
        choosing[me] = 1;
        i = 0;
        do
        :: i < N -> seen = number[i]; d_step { if :: seen > mine -> mine = seen :: else fi; seen = 0; i++ }
        :: else -> break
        od;
        mine++;
        number[me] = mine;
        choosing[me] = 0;
        i = 0;
        do
        :: i < N && i == me -> i++
        :: i < N && i != me ->
            (choosing[i] == 0);
            (number[i] == 0 || number[i] > mine || (number[i] == mine && i > me));
            i++
        :: else -> break
        od;
        i = 0;
        mine = 0;
        seen = inside;
        inside = seen + 1;
        assert(inside == 1);
        seen = inside;
        inside = seen - 1;
        seen = 0;
        number[me] = 0;
        round++
    :: else -> break
    od
}

init { byte k; atomic { do :: k < N -> run worker(k); k++ :: else -> break od }; join_all }

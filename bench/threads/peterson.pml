/* Peterson's algorithm. */
#include "locks.pml"
bit wants[2], turn;
byte inside;

proctype worker(byte me)
{
    byte round, seen;
    do
    :: round < ROUNDS ->
        wants[me] = 1;
        turn = 1 - me;
        do
        :: wants[1 - me] ->
            if
            :: turn == 1 - me
            :: else -> break
            fi
        :: else -> break
        od;
        seen = inside;
        inside = seen + 1;
        assert(inside == 1);
        seen = inside;
        inside = seen - 1;
        seen = 0;
        wants[me] = 0;
        round++
    :: else -> break
    od
}

init { atomic { run worker(0); run worker(1) }; join_all }

/* Dekker's algorithm. */
#include "locks.pml"
bit wants[2], turn;
byte inside;

proctype worker(byte me)
{
    byte round, seen;
    do
    :: round < ROUNDS ->
        wants[me] = 1;
        do
        :: wants[1 - me] ->
            if
            :: turn != me ->
                wants[me] = 0;
                (turn == me);
                wants[me] = 1
            :: else
            fi
        :: else -> break
        od;
        seen = inside;
        inside = seen + 1;
        assert(inside == 1);
        seen = inside;
        inside = seen - 1;
        seen = 0;
        turn = 1 - me;
        wants[me] = 0;
        round++
    :: else -> break
    od
}

init { atomic { run worker(0); run worker(1) }; join_all }

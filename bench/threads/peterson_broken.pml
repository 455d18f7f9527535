/* Peterson's algorithm with the first two writes exchanged. */
#include "locks.pml"
bit wants[2], turn;
byte inside;

proctype worker(byte me)
{
    byte round;
    do
    :: round < ROUNDS ->
        turn = 1 - me;
        wants[me] = 1;
        do
        :: wants[1 - me] ->
            if
            :: turn == 1 - me
            :: else -> break
            fi
        :: else -> break
        od;
        inside++;
        assert(inside == 1);
        inside--;
        wants[me] = 0;
        round++
    :: else -> break
    od
}

init { atomic { run worker(0); run worker(1) }; join_all }

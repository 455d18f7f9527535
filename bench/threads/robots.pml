/* Two robots on a board, one walks every other row, one every other column. */
#include "locks.pml"
short position[2];

proctype walk(byte me)
{
    short here;
    byte lane, i;
    do
    :: lane < SIZE ->
        do
        :: i < SIZE ->
            here = (me == 0 -> lane * SIZE + i : i * SIZE + lane);
            position[me] = here;
            if
            :: position[1 - me] == here -> assert(here / SIZE % 2 == 0 && here % SIZE % 2 == 0)
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0;
        lane = lane + 2
    :: else -> break
    od
}

init { atomic { run walk(0); run walk(1) }; join_all }

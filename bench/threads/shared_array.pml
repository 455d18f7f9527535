/* Threads fill disjoint parts of one array without any lock. */
#include "locks.pml"
byte cells[N * PART];

proctype fill(byte me)
{
    byte i;
    do
    :: i < PART -> cells[me * PART + i] = me + 1; i++
    :: else -> break
    od
}

init {
    byte k;
    atomic { do :: k < N -> run fill(k); k++ :: else -> break od };
    join_all;
    k = 0;
    do :: k < N * PART -> assert(cells[k] == k / PART + 1); k++ :: else -> break od
}

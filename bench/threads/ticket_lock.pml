/* A ticket lock. */
#include "locks.pml"
byte next, serving, inside;

proctype worker()
{
    byte round, seen, mine;
    do
    :: round < ROUNDS ->
        d_step { mine = next; next++ };
        (serving == mine);
        seen = inside;
        inside = seen + 1;
        assert(inside == 1);
        seen = inside;
        inside = seen - 1;
        seen = 0;
        serving = mine + 1;
        d_step { mine = 0; round++ }
    :: else -> break
    od
}

init { byte k; atomic { do :: k < N -> run worker(); k++ :: else -> break od }; join_all }

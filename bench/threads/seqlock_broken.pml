/* A sequence lock whose readers look only at the start. */
#include "locks.pml"
byte sequence, left, right;

proctype writer()
{
    byte value = 1;
    do
    :: value <= ROUNDS ->
        sequence++;
        left = value;
        right = value;
        sequence++;
        value++
    :: else -> break
    od
}

proctype reader()
{
    byte seen_left, seen_right;
    (sequence % 2 == 0);
    seen_left = left;
    seen_right = right;
    assert(seen_left == seen_right)
}

init { byte k; atomic { run writer(); do :: k < READERS -> run reader(); k++ :: else -> break od }; join_all }

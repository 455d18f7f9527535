/* A sequence lock. */
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
    byte before, seen_left, seen_right;
    do
    ::  atomic { sequence % 2 == 0 -> before = sequence };
        seen_left = left;
        seen_right = right;
        if
        :: sequence == before -> break
        :: else -> before = 0; seen_left = 0; seen_right = 0
        fi
    od;
    assert(seen_left == seen_right)
}

init { byte k; atomic { run writer(); do :: k < READERS -> run reader(); k++ :: else -> break od }; join_all }

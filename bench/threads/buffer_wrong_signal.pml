/* A bounded buffer with one condition variable for both sides. */
#include "locks.pml"
bit mutex, is_full;
byte changed, slot;

proctype produce(byte me)
{
    byte item = 1;
    do
    :: item <= ITEMS ->
        lock(mutex);
        do
        :: is_full -> wait(changed, mutex)
        :: else -> break
        od;
        slot = item;
        is_full = 1;
        signal(changed);
        unlock(mutex);
        item++
    :: else -> break
    od
}

proctype consume(byte me)
{
    byte i;
    do
    :: i < ITEMS * PRODUCERS / CONSUMERS ->
        lock(mutex);
        do
        :: !is_full -> wait(changed, mutex)
        :: else -> break
        od;
        slot = 0;
        is_full = 0;
        signal(changed);
        unlock(mutex);
        i++
    :: else -> break
    od
}

init {
    byte k;
    atomic {
        do :: k < PRODUCERS -> run produce(k); k++ :: else -> break od;
        do :: k < PRODUCERS + CONSUMERS -> run consume(k); k++ :: else -> break od
    };
    join_all
}

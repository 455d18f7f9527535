/* A bounded buffer with a mutex and two condition variables. */
#include "locks.pml"
bit mutex;
byte not_full, not_empty, slots[SIZE], first, n_used, n_taken;

proctype produce(byte me)
{
    byte item = 1, seen, at;
    do
    :: item <= ITEMS ->
        lock(mutex);
        do
        :: n_used == SIZE -> wait(not_full, mutex)
        :: else -> break
        od;
        at = first;
        seen = n_used;
        slots[(at + seen) % SIZE] = item;
        seen = n_used;
        n_used = seen + 1;
        seen = 0;
        at = 0;
        signal(not_empty);
        unlock(mutex);
        item++
    :: else -> break
    od
}

proctype consume(byte me)
{
    byte i, item, seen, at;
    do
    :: i < ITEMS * PRODUCERS / CONSUMERS ->
        lock(mutex);
        do
        :: n_used == 0 -> wait(not_empty, mutex)
        :: else -> break
        od;
        at = first;
        item = slots[at];
        at = first;
        slots[at] = 0;
        at = first;
        first = (at + 1) % SIZE;
        seen = n_used;
        n_used = seen - 1;
        seen = 0;
        at = 0;
        signal(not_full);
        unlock(mutex);
        assert(item > 0);
        item = 0;
        lock(mutex);
        seen = n_taken;
        n_taken = seen + 1;
        seen = 0;
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
    join_all;
    assert(n_taken == ITEMS * PRODUCERS);
    assert(n_used == 0)
}

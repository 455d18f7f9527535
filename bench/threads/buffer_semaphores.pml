/* A bounded buffer with two counting semaphores and a mutex. */
#include "locks.pml"
bit mutex;
byte free_slots = SIZE, used_slots, slots[SIZE], first, last;

proctype produce()
{
    byte item = 1, at;
    do
    :: item <= ITEMS ->
        sem_wait(free_slots);
        lock(mutex);
        at = last;
        slots[at] = item;
        at = last;
        last = (at + 1) % SIZE;
        at = 0;
        unlock(mutex);
        sem_post(used_slots);
        item++
    :: else -> break
    od
}

proctype consume()
{
    byte i, item, at;
    do
    :: i < ITEMS * PRODUCERS / CONSUMERS ->
        sem_wait(used_slots);
        lock(mutex);
        at = first;
        item = slots[at];
        at = first;
        slots[at] = 0;
        at = first;
        first = (at + 1) % SIZE;
        at = 0;
        unlock(mutex);
        sem_post(free_slots);
        assert(item > 0);
        item = 0;
        i++
    :: else -> break
    od
}

init {
    byte k;
    atomic {
        do :: k < PRODUCERS -> run produce(); k++ :: else -> break od;
        do :: k < PRODUCERS + CONSUMERS -> run consume(); k++ :: else -> break od
    };
    join_all;
    assert(first == last)
}

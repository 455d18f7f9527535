/* A queue that gives out the most urgent message first. */
#include "locks.pml"
typedef message { byte urgency; byte number };
bit mutex;
byte not_full, not_empty, n_queued;
message queue[DEPTH];

proctype sender(byte me)
{
    byte number, at, seen;
    do
    :: number < MESSAGES ->
        lock(mutex);
        do
        :: n_queued == DEPTH -> wait(not_full, mutex)
        :: else -> break
        od;
        at = n_queued;
        do
        :: at == 0 -> break
        :: else ->
            if
            :: queue[at - 1].urgency < number % 3 -> break
            :: else
            fi;
            seen = queue[at - 1].urgency;
            queue[at].urgency = seen;
            seen = queue[at - 1].number;
            queue[at].number = seen;
            seen = 0;
            at--
        od;
        queue[at].urgency = number % 3;
        queue[at].number = number;
        at = 0;
        seen = n_queued;
        n_queued = seen + 1;
        seen = 0;
        signal(not_empty);
        unlock(mutex);
        number++
    :: else -> break
    od
}

init {
    byte me = 1, i, seen, urgency, number;
    short last[3] = -1;
    run sender(0);
    do
    :: i < MESSAGES ->
        lock(mutex);
        do
        :: n_queued == 0 -> wait(not_empty, mutex)
        :: else -> break
        od;
        seen = n_queued;
        n_queued = seen - 1;
        seen = n_queued;
        urgency = queue[seen].urgency;
        number = queue[seen].number;
        seen = 0;
        signal(not_full);
        unlock(mutex);
        assert(urgency == number % 3);
        assert(number > last[urgency]);
        last[urgency] = number;
        urgency = 0;
        number = 0;
        i++
    :: else -> break
    od;
    join_all;
    assert(n_queued == 0)
}

/* Two-phase commit over one-place queues. */
#include "locks.pml"
byte vote_free[N] = 1, vote_used[N], order_free[N] = 1, order_used[N];
bit vote_message[N], order_message[N], voted[N], decided[N];

#define send(queue, i, value)       sem_wait(queue ## _free[i]); queue ## _message[i] = value; sem_post(queue ## _used[i])
#define receive(queue, i, value)    sem_wait(queue ## _used[i]); value = queue ## _message[i]; sem_post(queue ## _free[i])

proctype participant(byte me)
{
    bit value;
    if
    :: value = 0
    :: value = 1
    fi;
    voted[me] = value;
    send(vote, me, value);
    receive(order, me, value);
    decided[me] = value
}

init {
    byte k;
    bit is_commit = 1, value;
    atomic { do :: k < N -> run participant(k); k++ :: else -> break od };
    k = 0;
    do
    :: k < N -> receive(vote, k, value); is_commit = is_commit && value; k++
    :: else -> break
    od;
    value = 0;
    k = 0;
    do
    :: k < N -> send(order, k, is_commit); k++
    :: else -> break
    od;
    join_all;
    k = 0;
    do
    :: k < N -> assert(decided[k] == is_commit); assert(!is_commit || voted[k]); k++
    :: else -> break
    od
}

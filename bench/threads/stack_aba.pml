/* A lock-free stack of the nodes of an array without tags. */
#include "locks.pml"
#define NODES 3
byte top, next[NODES + 1];
bit is_owned[NODES + 1];

inline push(node)
{
    if
    :: node != 0 ->
        is_owned[node] = 0;
        old = top;
        do
        ::  next[node] = old;
            if
            :: atomic { top == old -> top = node }; break
            :: atomic { else -> old = top }
            fi
        od;
        old = 0;
        node = 0
    :: else
    fi
}

inline pop(node)
{
    old = top;
    do
    :: old == 0 -> break
    :: else ->
        after = next[old];
        if
        :: atomic { top == old -> top = after }; break
        :: atomic { else -> old = top }
        fi
    od;
    after = 0;
    node = old;
    old = 0;
    if
    :: node != 0 -> atomic { assert(is_owned[node] == 0); is_owned[node] = 1 }
    :: else
    fi
}

proctype worker()
{
    byte round, old, after, first, second;
    do
    :: round < ROUNDS -> pop(first); pop(second); push(first); push(second); round++
    :: else -> break
    od
}

init {
    byte k;
    d_step { next[2] = 1; next[3] = 2; top = NODES };
    atomic { do :: k < N -> run worker(); k++ :: else -> break od };
    join_all
}

/* A lock-free stack of the nodes of an array, top with a tag. */
#include "locks.pml"
#define NODES 3
byte top, next[NODES + 1];
bit is_owned[NODES + 1];

proctype worker()
{
    byte round, old, after, node;
    do
    :: round < ROUNDS ->
        old = top;
        do
        :: old % 8 == 0 -> node = 0; break
        :: else ->
            after = next[old % 8];
            if
            :: atomic { top == old -> top = (old / 8 + 1) * 8 + after; node = old % 8 }; break
            :: atomic { else -> old = top }
            fi
        od;
        after = 0;
        old = 0;
        if
        :: node != 0 ->
            atomic { assert(is_owned[node] == 0); is_owned[node] = 1 };
            is_owned[node] = 0;
            old = top;
            do
            ::  next[node] = old % 8;
                if
                :: atomic { top == old -> top = (old / 8 + 1) * 8 + node }; break
                :: atomic { else -> old = top }
                fi
            od;
            old = 0;
            node = 0
        :: else
        fi;
        round++
    :: else -> break
    od
}

init {
    byte k, n_nodes;
    d_step { next[2] = 1; next[3] = 2; top = NODES };
    atomic { do :: k < N -> run worker(); k++ :: else -> break od };
    join_all;
    k = top % 8;
    do :: k != 0 -> n_nodes++; k = next[k] :: else -> break od;
    assert(n_nodes == NODES)
}

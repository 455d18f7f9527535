/* A sense-reversing barrier. */
#include "locks.pml"
byte n_missing = N, done[N];
bit sense;

inline cross()
{
    my_sense = 1 - my_sense;
    d_step { before = n_missing; n_missing-- };
    if
    :: before == 1 -> n_missing = N; sense = my_sense
    :: else -> (sense == my_sense)
    fi;
    before = 0
}

proctype worker(byte me)
{
    byte phase = 1, before;
    bit my_sense;
    do
    :: phase <= PHASES ->
        done[me] = phase;
        cross();
        assert(done[(me + 1) % N] == phase);
        cross();
        phase++
    :: else -> break
    od
}

init { byte k; atomic { do :: k < N -> run worker(k); k++ :: else -> break od }; join_all }

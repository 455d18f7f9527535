/* Processes on a ring elect the one with the largest number; which has which is open. */
chan links[N] = [CAPACITY] of { byte };
byte number[N];
byte leader, n_awake;
bool is_used[N];

proctype node(byte me)
{
    byte heard;
    n_awake++;
    links[(me + 1) % N]!number[me];
    do
    :: links[me]?heard ->
        if
        :: heard > number[me] -> links[(me + 1) % N]!heard
        :: heard == number[me] -> break
        :: else
        fi;
        heard = 0
    od;
    leader = number[me]
}

init {
    byte k, choice;
    atomic {
        do
        :: k < N ->
            select (choice : 1 .. N);
            if :: !is_used[choice - 1] -> is_used[choice - 1] = 1; number[k] = choice; run node(k); k++ :: else fi
        :: else -> break
        od;
        k = 0; choice = 0
    }
}

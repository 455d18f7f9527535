/* Transfers between accounts that lock the account with the lower number first. */
#include "locks.pml"
bit locks[ACCOUNTS];
byte balances[ACCOUNTS] = 1;

proctype client(byte me)
{
    byte round, from, to, low, high, seen;
    do
    :: round < ROUNDS ->
        d_step {
            from = (me + round) % ACCOUNTS;
            to = (me + round + 1) % ACCOUNTS;
            low = (from < to -> from : to);
            high = (from < to -> to : from)
        };
        lock(locks[low]);
        lock(locks[high]);
        if
        :: balances[from] >= 1 ->
            seen = balances[from];
            balances[from] = seen - 1;
            seen = balances[to];
            balances[to] = seen + 1;
            seen = 0
        :: else
        fi;
        unlock(locks[high]);
        unlock(locks[low]);
        round++
    :: else -> break
    od
}

init {
    byte k, sum;
    atomic { do :: k < N -> run client(k); k++ :: else -> break od };
    join_all;
    k = 0;
    do :: k < ACCOUNTS -> sum = sum + balances[k]; k++ :: else -> break od;
    assert(sum == ACCOUNTS)
}

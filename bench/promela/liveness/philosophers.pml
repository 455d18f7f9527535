/* Philosophers who take the lower fork first, for ever. */
bit forks[N];
byte eating;

inline take(f) { atomic { forks[f] == 0 -> forks[f] = 1 } }

active [N] proctype philosopher()
{
    byte low, high;
    low = (_pid == N - 1 -> 0 : _pid);
    high = (_pid == N - 1 -> N - 1 : _pid + 1);
    do
    ::  take(low);
        take(high);
        eating++;
progress:
        eating--;
        forks[high] = 0;
        forks[low] = 0
    od
}

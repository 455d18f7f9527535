/* One thread adds fives, one takes twos away, each step at once. */
#include "locks.pml"
bit mutex;
short d;

proctype change(short by)
{
    short i, seen;
    do
    :: i < LIMIT ->
        lock(mutex);
        seen = d;
        d = seen + by;
        seen = 0;
        assert(d % 5 != 4);
        unlock(mutex);
        i = i + (by > 0 -> by : 0 - by)
    :: else -> break
    od
}

init { atomic { run change(5); run change(-2) }; join_all }

// Producers of a ring compare their snapshot of where to write with where the reader is now. If others have written and the
// reader has read in between, an empty ring looks full, and a value is refused though there is room for all.
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

#define SLOTS 4

static _Atomic unsigned reserved, written, taken;
static int slots[SLOTS];
static int values[2] = {1, 2};

static int put(int value)
{
    unsigned mine = reserved;
    for (;;) {
#ifdef FIXED
        unsigned reader = taken;
        if (mine - reader >= SLOTS - 1) {
            unsigned now = reserved;
            if (now == mine)
                return 0;
            mine = now;
            continue;
        }
#else
        if ((mine + 1) % SLOTS == taken % SLOTS)
            return 0;
#endif
        if (__atomic_compare_exchange_n(&reserved, &mine, mine + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            break;
    }
    slots[mine % SLOTS] = value;
    while (written != mine)
        ;
    written = mine + 1;
    return 1;
}

static int get(int *value)
{
    if (taken == written)
        return 0;
    *value = slots[taken % SLOTS];
    taken = taken + 1;
    return 1;
}

static void *produce(void *value)
{
    int is_in = put(*(int *)value);
    assert(is_in); // fails
    return 0;
}

int main(void)
{
    pthread_t producers[2];
    int value, sum = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&producers[i], 0, produce, &values[i]);
    if (get(&value))
        sum += value;
    for (int i = 0; i < 2; i++)
        pthread_join(producers[i], 0);
    while (get(&value))
        sum += value;
    assert(sum == 3);
    return 0;
}

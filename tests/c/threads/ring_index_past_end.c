// One producer and one consumer share a ring of two slots without a lock. The consumer moves its index in place, so that for
// a moment it lies past the end: the producer takes a full ring for one with room, and a full ring then looks empty.
// run: check --property assertion,memory
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

#define SLOTS 2
#define OFFERS 4

static _Atomic int head, tail;
static int slots[SLOTS], accepted;

static int put(int value)
{
    int next = head + 1 == SLOTS ? 0 : head + 1;
    if (next == tail)
        return 0;
    slots[head] = value;
    head = next;
    return 1;
}

static int get(int *value)
{
    if (head == tail)
        return 0;
    *value = slots[tail];
#ifdef FIXED
    tail = tail + 1 == SLOTS ? 0 : tail + 1;
#else
    tail = tail + 1;
    if (tail == SLOTS)
        tail = 0;
#endif
    return 1;
}

static void *produce(void *unused)
{
    for (int i = 0; i < OFFERS; i++)
        accepted += put(accepted + 1);
    return unused;
}

int main(void)
{
    pthread_t producer;
    int value, received = 0;
    pthread_create(&producer, 0, produce, 0);
    for (int i = 0; i < OFFERS; i++) {
        if (get(&value)) {
            received++;
            assert(value == received);
        }
    }
    pthread_join(producer, 0);
    while (get(&value))
        received++;
    assert(received == accepted); // fails
    return 0;
}

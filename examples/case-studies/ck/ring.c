// PRODUCERS put one value each into a ring that has room for all, a consumer takes them out: no value is refused, lost or
// taken twice. The counters start at START, because they wrap around; with -DVALID the ring's own check is asked in the end.
//
//   unpick check --property assertion,memory,overflow,deadlock -I . -I $CK/include ring.c
//
// with $CK a checkout of concurrencykit/ck. Its loads and stores are volatile, not atomic: races are left out.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#include "ck_ring.h"

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef START
#define START 0
#endif
#define SLOTS 4 // one stays empty

static ck_ring_t ring;
static ck_ring_buffer_t buffer[SLOTS];
static int values[PRODUCERS];

static void *produce(void *value)
{
    bool is_in = ck_ring_enqueue_mpmc(&ring, buffer, value);
    assert(is_in);
    return 0;
}

int main(void)
{
    pthread_t producers[PRODUCERS];
    int taken[PRODUCERS] = {0}, count = 0;
    void *value;

    ck_ring_init(&ring, SLOTS);
    ring.c_head = ring.p_head = ring.p_tail = START;
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], 0, produce, &values[i]);
    if (ck_ring_dequeue_mpmc(&ring, buffer, &value)) {
        taken[(int *)value - values]++;
        count++;
    }
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], 0);
#ifdef VALID
    assert(ck_ring_valid(&ring));
#endif
    while (ck_ring_dequeue_mpmc(&ring, buffer, &value)) {
        taken[(int *)value - values]++;
        count++;
    }
    assert(count == PRODUCERS);
    for (int i = 0; i < PRODUCERS; i++)
        assert(taken[i] == 1);
    assert(ck_ring_size(&ring) == 0);
    return 0;
}

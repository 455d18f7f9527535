// One producer (in the original an interrupt handler) and one consumer share a ring buffer of three slots: what comes out
// is what went in, in order, and the buffer is never thought to hold more than it can.
//
// The library promises that producer and consumer need no lock. SENT elements are offered; the consumer polls.
//
//   unpick check --property assertion,memory,overflow,deadlock -I $RING/src driver.c $RING/src/ring_buf.c
//
// with $RING a checkout of QuantumLeaps/lock-free-ring-buffer. Data races are left out for the versions before 4.0.0,
// whose indices are plain variables: on one processor an interrupt handler does not race with what it interrupts.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ring_buf.h"

#ifndef SENT
#define SENT 7 // enough for the indices to go round twice
#endif
#ifndef POLLS
#define POLLS (SENT + 1)
#endif
#define SLOTS 3

static RingBufElement storage[SLOTS];
static RingBuf ring;
static int accepted; // elements that the producer got into the buffer: 1, 2, 3, ...

static void *producer(void *unused)
{
    (void)unused;
    for (int i = 0; i < SENT; i++) {
        if (RingBuf_put(&ring, (RingBufElement)(accepted + 1)))
            accepted++;
    }
    return 0;
}

int main(void)
{
    pthread_t handler;
    int received = 0;
    RingBufElement element;

    RingBuf_ctor(&ring, storage, SLOTS);
    pthread_create(&handler, 0, producer, 0);
    for (int i = 0; i < POLLS; i++) {
        RingBufCtr room = RingBuf_num_free(&ring);
        assert(room < SLOTS);
        if (RingBuf_get(&ring, &element)) {
            received++;
            assert(element == received); // in order, none twice, none lost
        }
    }
    pthread_join(handler, 0);
    while (RingBuf_get(&ring, &element)) {
        received++;
        assert(element == received);
    }
    assert(received == accepted);
    assert(RingBuf_num_free(&ring) == SLOTS - 1);
    return 0;
}

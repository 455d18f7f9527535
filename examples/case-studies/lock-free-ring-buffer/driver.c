// One producer (in the original an interrupt handler) and one consumer share a ring buffer of three slots: what comes out
// is what went in, in order, and the buffer is never thought to hold more than it can.
//
// The library promises that producer and consumer need no lock. SENT elements are offered; the consumer polls.
//
//   unpick check --property assertion,memory,overflow,deadlock -I $RING/src driver.c $RING/src/ring_buf.c
//
// with $RING a checkout of QuantumLeaps/lock-free-ring-buffer. Data races are left out for the versions before 4.0.0,
// whose indices are plain variables. With `-DISR --isr on_interrupt:0:7` the producer is an interrupt handler.
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

static volatile int is_enabled; // interrupts come only now

void on_interrupt(void)
{
#ifdef ISR
    if (!is_enabled)
        return;
#endif
    if (RingBuf_put(&ring, (RingBufElement)(accepted + 1)))
        accepted++;
}

static void *producer(void *unused)
{
    for (int i = 0; i < SENT; i++)
        on_interrupt();
    return unused;
}

int main(void)
{
    pthread_t handler = 0;
    (void)handler, (void)producer;
    int received = 0;
    RingBufElement element;

    RingBuf_ctor(&ring, storage, SLOTS);
    is_enabled = 1;
#ifndef ISR
    pthread_create(&handler, 0, producer, 0);
#endif
    for (int i = 0; i < POLLS; i++) {
        RingBufCtr room = RingBuf_num_free(&ring);
        assert(room < SLOTS);
        if (RingBuf_get(&ring, &element)) {
            received++;
            assert(element == received); // in order, none twice, none lost
        }
    }
#ifndef ISR
    pthread_join(handler, 0);
#endif
    is_enabled = 0;
    while (RingBuf_get(&ring, &element)) {
        received++;
        assert(element == received);
    }
    assert(received == accepted);
    assert(RingBuf_num_free(&ring) == SLOTS - 1);
    return 0;
}

// A thread puts bytes into a ring buffer, an interrupt handler takes them out: what is taken is a prefix of what was put,
// and in the end nothing is left over. Indices are rewound early, so that it happens within a few bytes.
//
//   unpick check --property assertion,memory,overflow,deadlock -I stubs -I $ZEPHYR/include driver.c $ZEPHYR/lib/os/ring_buffer.c
//
// with $ZEPHYR a checkout of zephyrproject-rtos/zephyr. The handler is a thread that, once it runs, runs to its end; with
// -DPARALLEL it runs on a processor of its own, and with `-DISR --isr on_interrupt:0:3` it is a handler.
#include <assert.h>
#include <pthread.h>

#include "sys/ring_buffer.h"

#ifndef SIZE
#define SIZE 4
#endif
#ifndef WARM_UP
#define WARM_UP 11 // bytes that went through before the handler is enabled
#endif
#ifndef PUTS
#define PUTS 3
#endif
#ifndef INTERRUPTS
#define INTERRUPTS 3
#endif
#define AT_ONCE 2

static struct ring_buf ring;
static uint32_t storage[SIZE];
static uint8_t sent, received;

// The library lets its user choose when to rewind; the default is 2^31, and less than three times the size is ambiguous.
uint32_t ring_buf_get_rewind_threshold(void)
{
    return 3 * SIZE;
}

k_spinlock_key_t k_spin_lock(struct k_spinlock *lock)
{
    (void)lock;
    return 0; // taken by the handler only, which nothing interrupts
}

void k_spin_unlock(struct k_spinlock *lock, k_spinlock_key_t key)
{
    (void)lock;
    (void)key;
}

static uint32_t take(uint32_t count)
{
    uint8_t bytes[AT_ONCE];
    uint32_t taken = ring_buf_get(&ring, bytes, count);
    assert(taken <= count);
    for (uint32_t i = 0; i < taken; i++)
        assert(bytes[i] == received++);
    return taken;
}

static uint32_t put(uint32_t count)
{
    uint8_t bytes[AT_ONCE];
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = sent + i;
    uint32_t accepted = ring_buf_put(&ring, bytes, count);
    assert(accepted <= count);
    sent += accepted;
    return accepted;
}

static volatile int is_enabled; // interrupts come only now

void on_interrupt(void)
{
    if (is_enabled)
        take(AT_ONCE);
}

static void *handler(void *unused)
{
    for (int i = 0; i < INTERRUPTS; i++) {
#ifndef PARALLEL
        __VERIFIER_atomic_begin();
#endif
        take(AT_ONCE);
#ifndef PARALLEL
        __VERIFIER_atomic_end();
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t interrupt = 0;
    (void)interrupt, (void)handler;

    ring_buf_init(&ring, SIZE, storage);
    for (int i = 0; i < WARM_UP; i++) {
        assert(put(1) == 1);
        assert(take(1) == 1);
    }
    is_enabled = 1;
#ifndef ISR
    pthread_create(&interrupt, 0, handler, 0);
#endif
    for (int i = 0; i < PUTS; i++)
        put(AT_ONCE);
#ifndef ISR
    pthread_join(interrupt, 0);
#endif
    is_enabled = 0;
    while (take(AT_ONCE) != 0)
        ;
    assert(sent == received);
    assert(ring_buf_is_empty(&ring));
    return 0;
}

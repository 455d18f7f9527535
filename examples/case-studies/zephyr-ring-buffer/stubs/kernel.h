// What the ring buffer needs of the kernel. On one processor a spinlock keeps interrupts out: the interrupt takes it too.
#ifndef STUB_KERNEL_H
#define STUB_KERNEL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define __weak __attribute__((__weak__))
#define likely(condition) (condition)
#define unlikely(condition) (condition)
#define __ASSERT(condition, ...) assert(condition)
#define __ASSERT_NO_MSG(condition) assert(condition)

struct k_spinlock {
    int unused;
};
typedef int k_spinlock_key_t;

k_spinlock_key_t k_spin_lock(struct k_spinlock *lock);
void k_spin_unlock(struct k_spinlock *lock, k_spinlock_key_t key);

#endif

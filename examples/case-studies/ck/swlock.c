// A writer latches a single-writer lock while a reader takes it: both get through, and what the writer changes is never seen
// half changed.
//
//   unpick check --property assertion,memory,overflow,deadlock,livelock -I . -I $CK/include swlock.c
//
// with $CK a checkout of concurrencykit/ck.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "ck_swlock.h"

static ck_swlock_t lock = CK_SWLOCK_INITIALIZER;
static int left, right;

static void *reader(void *unused)
{
#ifdef LATCHLOCK
    ck_swlock_read_latchlock(&lock);
#else
    ck_swlock_read_lock(&lock);
#endif
    assert(left == right);
    ck_swlock_read_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, reader, 0);
    ck_swlock_write_latch(&lock);
    left++;
    right++;
    ck_swlock_write_unlatch(&lock);
    pthread_join(thread, 0);
    assert(!ck_swlock_locked(&lock));
    return 0;
}

// A writer and two readers, one with a slot of its own and one without, take a byte lock: what the writer changes is never
// seen half changed. The reader without a slot has the first number beyond the slots.
//
//   unpick check --property assertion,memory,overflow,deadlock -I . -I $CK/include bytelock.c
//
// with $CK a checkout of concurrencykit/ck.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "ck_bytelock.h"

enum { WRITER = 1, READER = 2, UNSLOTTED = sizeof(((struct ck_bytelock *)0)->readers) + 1 };

static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
static int left, right;

static void *read_both(void *slot)
{
    ck_bytelock_read_lock(&lock, *(unsigned *)slot);
    assert(left == right);
    ck_bytelock_read_unlock(&lock, *(unsigned *)slot);
    return 0;
}

int main(void)
{
    static unsigned slots[2] = {READER, UNSLOTTED};
    pthread_t readers[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&readers[i], 0, read_both, &slots[i]);
    ck_bytelock_write_lock(&lock, WRITER);
    left++;
    right++;
    ck_bytelock_write_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], 0);
    assert(lock.n_readers == 0 && lock.owner == 0);
    return 0;
}

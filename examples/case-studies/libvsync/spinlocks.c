// THREADS threads take one of the spinlocks ROUNDS times each and add to a plain counter: any failure of the lock is a data
// race or a lost update. Every other thread only reads if the lock is one for readers and writers.
//
//   unpick check -DTICKET -I $VSYNC/include -I $VSYNC/vatomic/include spinlocks.c
//
// with $VSYNC a checkout of open-s4c/libvsync and one of CAS, TTAS, TICKET, TWA, ARRAY, MCS, CLH, HEM, CNA, RW, SEQ, SEMAPHORE
// as the lock. The compiler's built-in functions stand for the assembly.
#define VATOMIC_BUILTINS
#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

#if defined CAS
#include <vsync/spinlock/caslock.h>
static caslock_t lock = CASLOCK_INIT();
#define START()
#define ACQUIRE(self) caslock_acquire(&lock)
#define RELEASE(self) caslock_release(&lock)
#elif defined TTAS
#include <vsync/spinlock/ttaslock.h>
static ttaslock_t lock = TTASLOCK_INIT();
#define START()
#define ACQUIRE(self) ttaslock_acquire(&lock)
#define RELEASE(self) ttaslock_release(&lock)
#elif defined TICKET
#include <vsync/spinlock/ticketlock.h>
static ticketlock_t lock = TICKETLOCK_INIT();
#define START()
#define ACQUIRE(self) ticketlock_acquire(&lock)
#define RELEASE(self) ticketlock_release(&lock)
#elif defined TWA
#include <vsync/spinlock/twalock.h>
TWALOCK_ARRAY_DECL;
static twalock_t lock = TWALOCK_INIT();
#define START()
#define ACQUIRE(self) twalock_acquire(&lock)
#define RELEASE(self) twalock_release(&lock)
#elif defined ARRAY
#include <vsync/spinlock/arraylock.h>
static arraylock_t lock;
static arraylock_flag_t flags[4];
static vuint32_t slots[THREADS];
#define START() arraylock_init(&lock, flags, 4)
#define ACQUIRE(self) arraylock_acquire(&lock, &slots[self])
#define RELEASE(self) arraylock_release(&lock, slots[self])
#elif defined MCS
#include <vsync/spinlock/mcslock.h>
static mcslock_t lock = MCSLOCK_INIT();
static mcs_node_t nodes[THREADS];
#define START()
#define ACQUIRE(self) mcslock_acquire(&lock, &nodes[self])
#define RELEASE(self) mcslock_release(&lock, &nodes[self])
#elif defined CLH
#include <vsync/spinlock/clhlock.h>
static clhlock_t lock;
static clh_node_t nodes[THREADS];
#define START()                                                                                                                \
    do {                                                                                                                       \
        clhlock_init(&lock);                                                                                                   \
        for (int i = 0; i < THREADS; i++)                                                                                      \
            clhlock_node_init(&nodes[i]);                                                                                      \
    } while (0)
#define ACQUIRE(self) clhlock_acquire(&lock, &nodes[self])
#define RELEASE(self) clhlock_release(&lock, &nodes[self])
#elif defined HEM
#include <vsync/spinlock/hemlock.h>
static hemlock_t lock = HEMLOCK_INIT();
static hem_node_t nodes[THREADS];
#define START()
#define ACQUIRE(self) hemlock_acquire(&lock, &nodes[self])
#define RELEASE(self) hemlock_release(&lock, &nodes[self])
#elif defined CNA
#include <vsync/spinlock/cnalock.h>
static cnalock_t lock = CNALOCK_INIT();
static cna_node_t nodes[THREADS];
#define START()
#define ACQUIRE(self) cnalock_acquire(&lock, &nodes[self], self % 2)
#define RELEASE(self) cnalock_release(&lock, &nodes[self], self % 2)
#elif defined RW
#include <vsync/spinlock/rwlock.h>
static rwlock_t lock = RWLOCK_INIT();
#define START()
#define WRITES(self) ((self) % 2 == 0)
#define ACQUIRE(self) (WRITES(self) ? rwlock_write_acquire(&lock) : rwlock_read_acquire(&lock))
#define RELEASE(self) (WRITES(self) ? rwlock_write_release(&lock) : rwlock_read_release(&lock))
#define END() assert(!rwlock_acquired_by_writer(&lock) && !rwlock_acquired_by_readers(&lock))
#elif defined SEQ
#include <vsync/spinlock/seqlock.h>
static seqlock_t lock;
#define START() seqlock_init(&lock)
#define ACQUIRE(self) seqlock_acquire(&lock)
#define RELEASE(self) seqlock_release(&lock)
#elif defined SEMAPHORE
#include <vsync/spinlock/semaphore.h>
static semaphore_t lock = SEMAPHORE_INIT(1);
#define START()
#define ACQUIRE(self) semaphore_acquire(&lock, 1)
#define RELEASE(self) semaphore_release(&lock, 1)
#endif

#ifndef WRITES
#define WRITES(self) 1
#endif
#ifndef END
#define END()
#endif

static int numbers[THREADS], counter;

static void *work(void *number)
{
    int self = *(int *)number;
    for (int i = 0; i < ROUNDS; i++) {
        ACQUIRE(self);
        int before = counter;
        if (WRITES(self))
            counter = before + 1;
        assert(counter == before + WRITES(self));
        RELEASE(self);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];

    START();
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], 0, work, &numbers[i]);
    }
    int writes = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], 0);
        writes += WRITES(i) * ROUNDS;
    }
    assert(counter == writes);
    END();
    return 0;
}

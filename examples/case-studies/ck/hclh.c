// THREADS threads, spread over CLUSTERS, take a hierarchical queue lock ROUNDS times each: never two inside at once.
//
//   unpick check --property assertion,memory,overflow,deadlock -I . -I $CK/include hclh.c
//
// with $CK a checkout of concurrencykit/ck.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#include "ck_spinlock.h"

#ifndef THREADS
#define THREADS 3
#endif
#ifndef CLUSTERS
#define CLUSTERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static ck_spinlock_hclh_t unowned, unowned_in[CLUSTERS], nodes[THREADS];
static ck_spinlock_hclh_t *queue, *queues[CLUSTERS];
static int numbers[THREADS], inside;

static void *work(void *number)
{
    int self = *(int *)number;
    ck_spinlock_hclh_t *node = &nodes[self];

    for (int i = 0; i < ROUNDS; i++) {
        ck_spinlock_hclh_lock(&queue, &queues[self % CLUSTERS], node);
        assert(inside == 0);
        inside++;
        inside--;
        ck_spinlock_hclh_unlock(&node);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];

    ck_spinlock_hclh_init(&queue, &unowned, -1);
    for (int i = 0; i < CLUSTERS; i++)
        ck_spinlock_hclh_init(&queues[i], &unowned_in[i], i);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], 0, work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    assert(!ck_spinlock_hclh_locked(&queue));
    return 0;
}

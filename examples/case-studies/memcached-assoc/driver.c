// Worker threads ask for the hash table to grow while its maintenance thread moves items to the larger one: every item
// stays findable, and nothing races.
//
//   unpick check --no-spurious -I stubs -I $MEMCACHED driver.c $MEMCACHED/assoc.c
//
// with $MEMCACHED a checkout of memcached/memcached. The locks of items and the way threads are paused are memcached's,
// written anew: ITEM_LOCKS locks, and a pause that waits until each worker is between two commands.
#include <assert.h>
#include <string.h>

#include "memcached.h"

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ITEM_LOCKS
#define ITEM_LOCKS 1
#endif

struct settings settings;
struct stats_state stats_state;
hash_func hash;

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t item_locks[ITEM_LOCKS];
static pthread_mutex_t commands[WORKERS]; // held by a worker during a command

void STATS_LOCK(void)
{
    pthread_mutex_lock(&stats_lock);
}

void STATS_UNLOCK(void)
{
    pthread_mutex_unlock(&stats_lock);
}

void *item_trylock(uint32_t value)
{
    pthread_mutex_t *lock = &item_locks[value % ITEM_LOCKS];
    return pthread_mutex_trylock(lock) == 0 ? lock : 0;
}

void item_trylock_unlock(void *lock)
{
    pthread_mutex_unlock(lock);
}

void pause_threads(enum pause_thread_types type)
{
    for (int i = 0; i < WORKERS; i++) {
        if (type == PAUSE_ALL_THREADS)
            pthread_mutex_lock(&commands[i]);
        else
            pthread_mutex_unlock(&commands[i]);
    }
}

char *getenv(const char *name)
{
    (void)name;
    return 0; // the number of buckets to move at once is the default, one
}

// Keys are single letters, and hash to their number.
static uint32_t hash_letter(const void *key, size_t length)
{
    (void)length;
    return (uint32_t)(*(const char *)key - 'a');
}

static struct {
    item item;
    char key[2];
} items[WORKERS];

static void *worker(void *argument)
{
    int self = *(int *)argument;
    item *mine = &items[self].item;
    char key = (char)('a' + self);
    uint32_t value = hash(&key, 1);

    pthread_mutex_lock(&commands[self]);
    pthread_mutex_lock(&item_locks[value % ITEM_LOCKS]);
    mine->nkey = 1;
    memcpy(ITEM_key(mine), &key, 1);
    assoc_insert(mine, value);
    pthread_mutex_unlock(&item_locks[value % ITEM_LOCKS]);
    assoc_start_expand(4); // more items than the table of two buckets likes
    pthread_mutex_unlock(&commands[self]);

    pthread_mutex_lock(&commands[self]);
    pthread_mutex_lock(&item_locks[value % ITEM_LOCKS]);
    assert(assoc_find(&key, 1, value) == mine);
    pthread_mutex_unlock(&item_locks[value % ITEM_LOCKS]);
    pthread_mutex_unlock(&commands[self]);
    return 0;
}

int main(void)
{
    pthread_t threads[WORKERS];
    static int numbers[WORKERS];

    hash = hash_letter;
    for (int i = 0; i < ITEM_LOCKS; i++)
        pthread_mutex_init(&item_locks[i], 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_mutex_init(&commands[i], 0);
    assoc_init(1);
    assert(start_assoc_maintenance_thread() == 0);
    for (int i = 0; i < WORKERS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], 0, worker, &numbers[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], 0);
    return 0;
}

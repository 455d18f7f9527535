// A pool of WORKERS threads is given JOBS jobs; each runs exactly once.
//
//   unpick check -I $POOL driver.c $POOL/thpool.c -DYEAR=2011
//
// with $POOL a checkout of Pithikos/C-Thread-Pool and YEAR the year it is of: the interface has changed. With -DDESTROY the
// pool is destroyed in the end; without, the program ends while the workers wait for more.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#include "thpool.h"

#ifndef YEAR
#define YEAR 2025
#endif
#if YEAR < 2015
typedef thpool_t *pool_t;
#else
typedef threadpool pool_t;
#endif
#if YEAR < 2016
typedef void *result_t;
#define RESULT 0
#else
typedef void result_t;
#define RESULT
#endif

#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef JOBS
#define JOBS 2
#endif

static int runs[JOBS];
static sem_t finished;

static result_t work(void *argument)
{
    (*(int *)argument)++;
    sem_post(&finished);
    return RESULT;
}

int main(void)
{
    pool_t pool;

    sem_init(&finished, 0, 0);
    pool = thpool_init(WORKERS);
    for (int i = 0; i < JOBS; i++)
        assert(thpool_add_work(pool, work, &runs[i]) == 0);
    for (int i = 0; i < JOBS; i++)
        sem_wait(&finished);
    for (int i = 0; i < JOBS; i++)
        assert(runs[i] == 1);
#ifdef DESTROY
    thpool_destroy(pool);
#endif
    return 0;
}

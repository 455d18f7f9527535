// WORKS pieces of work are given to libuv's thread pool of WORKERS threads: each runs once and is reported once as done. They
// are of the slow kind, of which only half of the threads, rounded up, may run at the same time.
//
//   unpick check -D_GNU_SOURCE -I $UV/include -I $UV/src driver.c $UV/src/threadpool.c $UV/src/unix/thread.c
//
// with $UV a checkout of libuv/libuv. The event loop is replaced by a semaphore that counts how often it is woken. With
// -DCANCEL the last piece is cancelled meanwhile, and either runs or is reported as cancelled.
#include <assert.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "uv-common.h"

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef WORKS
#define WORKS 2
#endif
#define DIGIT(n) ((char)('0' + (n)))

static uv_loop_t loop;
static uv_work_t requests[WORKS];
static int runs[WORKS], reports[WORKS], running, is_cancelled;
static uv_mutex_t count_mutex;
static sem_t woken;

// What the pool asks of the rest of libuv.
int uv_async_send(uv_async_t *handle)
{
    assert(handle == &loop.wq_async);
    sem_post(&woken);
    return 0;
}

char *getenv(const char *name)
{
    static char size[2] = {DIGIT(WORKERS), 0};
    return strcmp(name, "UV_THREADPOOL_SIZE") == 0 ? size : 0;
}

int uv_os_getenv(const char *name, char *buffer, size_t *size)
{
    assert(*size > 1);
    strcpy(buffer, getenv(name));
    return 0;
}

const char *gnu_get_libc_version(void)
{
    return "2.36"; // old versions had semaphores that libuv works around
}

void *uv__malloc(size_t size)
{
    return malloc(size);
}

void uv__free(void *pointer)
{
    free(pointer);
}

static int index_of(struct uv__work *work)
{
    return (int)(container_of(work, uv_work_t, work_req) - requests);
}

static void work(struct uv__work *work)
{
    uv_mutex_lock(&count_mutex);
    running++;
    assert(running <= (WORKERS + 1) / 2);
    runs[index_of(work)]++;
    uv_mutex_unlock(&count_mutex);

    uv_mutex_lock(&count_mutex);
    running--;
    uv_mutex_unlock(&count_mutex);
}

static void done(struct uv__work *work, int status)
{
    int index = index_of(work);
    reports[index]++;
    assert(status == (is_cancelled && index == WORKS - 1 ? UV_ECANCELED : 0));
}

int main(void)
{
    sem_init(&woken, 0, 0);
#ifdef uv__get_internal_fields
    static uv__loop_internal_fields_t fields;
    loop.internal_fields = &fields;
#endif
    uv_mutex_init(&loop.wq_mutex);
    uv_mutex_init(&count_mutex);
#ifdef QUEUE_INIT
    QUEUE_INIT(&loop.wq);
#else
    uv__queue_init(&loop.wq);
#endif
    for (int i = 0; i < WORKS; i++) {
        requests[i].type = UV_WORK;
        requests[i].loop = &loop;
        uv__work_submit(&loop, &requests[i].work_req, UV__WORK_SLOW_IO, work, done);
    }
#ifdef CANCEL
    is_cancelled = uv_cancel((uv_req_t *)&requests[WORKS - 1]) == 0;
#endif
    for (int i = 0; i < WORKS; i++) {
        sem_wait(&woken);
        uv__work_done(&loop.wq_async);
    }
    for (int i = 0; i < WORKS; i++) {
        assert(reports[i] == 1);
        assert(runs[i] == !(is_cancelled && i == WORKS - 1));
    }
    return 0;
}

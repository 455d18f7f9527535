// Who waits for a counter without the lock may free the lock while the last thread still has to release it.
// run: check --property memory,assertion,deadlock,unlock-error
// verdict: violated use-after-free
#include <pthread.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t lock;
    int alive;
};

static void *work(void *argument)
{
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    pool->alive--;
    pthread_mutex_unlock(&pool->lock); // fails
    return 0;
}

int main(void)
{
    struct pool *pool = malloc(sizeof *pool);
    pthread_t thread;
    pthread_mutex_init(&pool->lock, 0);
    pool->alive = 1;
    pthread_create(&thread, 0, work, pool);
#ifdef FIXED
    pthread_join(thread, 0);
#else
    pthread_detach(thread);
    while (pool->alive)
        ;
#endif
    free(pool);
    return 0;
}

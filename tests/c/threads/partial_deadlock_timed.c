// Whoever gives up after a while waits for nobody for ever; neither does who waits for a semaphore that may be posted.
// run: check
// run: check --shortest
// with: --reduce none | --reduce global-access | --reduce superstep
// verdict: verified
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static sem_t go;

static void *one(void *unused)
{
    struct timespec until = {1, 0};
    pthread_mutex_lock(&a);
    if (pthread_mutex_timedlock(&b, &until) == 0)
        pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *two(void *unused)
{
    pthread_mutex_lock(&b);
    sem_wait(&go);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    sem_init(&go, 0, 0);
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, two, 0);
    sem_post(&go);
    for (;;)
        sleep(1);
}

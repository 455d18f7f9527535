// Two threads that give way to each other for ever: the part that repeats is bracketed across the columns.
// run: check --property livelock
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t *one, pthread_mutex_t *other)
{
    for (;;) {
        pthread_mutex_lock(one);
        if (pthread_mutex_trylock(other) == 0)
            break;
        pthread_mutex_unlock(one);
    }
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void *other(void *unused)
{
    take(&second, &first);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    take(&first, &second);
    pthread_join(thread, 0);
    return 0;
}

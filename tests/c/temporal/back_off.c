// Two threads that give way to each other for ever: every thread runs, nobody gets anywhere.
// run: check => verified
// run: check --property livelock => violated livelock
// run: check --property termination => violated termination
// run: check -DORDERED --property livelock => verified
// run: check -DORDERED --property termination => verified
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t *one, pthread_mutex_t *other)
{
    for (;;) {
        pthread_mutex_lock(one); // fails
        if (pthread_mutex_trylock(other) == 0)
            break;
        pthread_mutex_unlock(one);
    }
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void *left(void *unused)
{
    take(&first, &second);
    return unused;
}

static void *right(void *unused)
{
#ifdef ORDERED
    take(&first, &second);
#else
    take(&second, &first);
#endif
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

// A lock is released by a thread that does not hold it.
// run: check
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *release(void *unused)
{
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_mutex_lock(&lock);
    pthread_create(&one, 0, release, 0);
    pthread_join(one, 0);
    return 0;
}

// One of the writers forgets the lock.
// run: check
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *careful(void *unused)
{
    pthread_mutex_lock(&lock);
    count = count + 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, careful, 0);
    count = 5;
    pthread_join(one, 0);
    return 0;
}

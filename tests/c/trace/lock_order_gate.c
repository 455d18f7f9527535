// Opposite orders inside a third lock are no circle, nor are those of a thread that only tries.
// run: check
// verdict: verified
// stdout: "circles":[]
// stdout: {"held":"&gate","taken":"&first"
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *unused)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&gate);
    pthread_mutex_lock(&second);
    if (pthread_mutex_trylock(&gate) == 0)
        pthread_mutex_unlock(&gate);
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, forward, 0);
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&gate);
    pthread_join(one, 0);
    return 0;
}

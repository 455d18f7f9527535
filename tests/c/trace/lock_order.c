// Opposite orders that never meet are told, also if all is well; under a common lock they are no circle.
// run: check --lock-order
// exit: 0
// stdout: &first -> &second at lock_order.c:
// stdout: &second -> &first at lock_order.c:
// stdout: warning: locks are taken in a circle: &first -> &second -> &first
// stdout: &second is taken while &first is held, at lock_order.c:
// stdout: no execution deadlocks because of it
// stdout: verdict: verified
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *unused)
{
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, forward, 0);
    pthread_join(one, 0);
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return 0;
}

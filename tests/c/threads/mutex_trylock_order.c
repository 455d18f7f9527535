// Trying for the second mutex and backing off breaks the circle.
// run: check
// verdict: verified
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument) {
    pthread_mutex_lock(&second);
    if (pthread_mutex_trylock(&first) == 0) pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    pthread_join(thread, 0);
    return 0;
}

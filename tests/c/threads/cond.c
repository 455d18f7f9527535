// A consumer waits for what a producer makes.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int n_items;

static void *consume(void *argument) {
    pthread_mutex_lock(&mutex);
    while (n_items == 0) pthread_cond_wait(&filled, &mutex);
    assert(n_items == 1);
    n_items--;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, consume, 0);
    pthread_mutex_lock(&mutex);
    n_items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    assert(n_items == 0);
    assert(pthread_cond_destroy(&filled) == 0);
    return 0;
}

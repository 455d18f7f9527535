// A wait may end for no reason: it has to be in a loop.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *wait(void *argument) {
    pthread_mutex_lock(&mutex);
    if (!is_ready) pthread_cond_wait(&changed, &mutex);
    assert(is_ready); // fails
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    sched_yield();
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}

// A deadline may pass although the change came: the condition has to be looked at again.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *wait(void *argument) {
    struct timespec soon = {1, 0};
    int error = 0;
    pthread_mutex_lock(&mutex);
    while (!is_ready && error == 0) error = pthread_cond_timedwait(&changed, &mutex, &soon);
    assert(error == 0 || !is_ready); // fails
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}

// Trying to join succeeds only when the thread is over.
// run: check
// verdict: verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    struct timespec soon = {0, 0};
    pthread_create(&thread, 0, run, 0);
    int error = pthread_tryjoin_np(thread, 0);
    assert(error == 0 || error == EBUSY);
    if (error == EBUSY) error = pthread_timedjoin_np(thread, 0, &soon);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == ETIMEDOUT) pthread_join(thread, 0);
    return 0;
}

// A wait with a deadline ends in time or too late, and has the mutex again.
// run: check
// verdict: verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;

int main(void) {
    pthread_condattr_t attributes;
    clockid_t clock;
    struct timespec soon = {1, 0}, wrong = {0, -1};
    assert(pthread_condattr_init(&attributes) == 0);
    assert(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
    assert(pthread_condattr_getclock(&attributes, &clock) == 0 && clock == CLOCK_MONOTONIC);
    assert(pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_cond_init(&changed, &attributes) == 0);
    assert(pthread_condattr_destroy(&attributes) == 0);
    pthread_mutex_lock(&mutex);
    int error = pthread_cond_timedwait(&changed, &mutex, &soon);
    assert(error == 0 || error == ETIMEDOUT);
    assert(pthread_cond_timedwait(&changed, &mutex, &wrong) == EINVAL);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_cond_destroy(&changed) == 0);
    return 0;
}

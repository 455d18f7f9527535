// All arrive before anyone goes on, and one of them is told apart.
// run: check
// verdict: verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int here[2], n_special;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void meet(int me) {
    here[me] = 1;
    int result = pthread_barrier_wait(&barrier);
    assert(here[0] && here[1]);
    if (result != PTHREAD_BARRIER_SERIAL_THREAD) {
        assert(result == 0);
        return;
    }
    pthread_mutex_lock(&mutex);
    n_special++;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *argument) {
    meet(1);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_barrierattr_t attributes;
    assert(pthread_barrierattr_init(&attributes) == 0);
    assert(pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE) == 0);
    assert(pthread_barrier_init(&barrier, &attributes, 0) == EINVAL);
    assert(pthread_barrier_init(&barrier, &attributes, 2) == 0);
    assert(pthread_barrierattr_destroy(&attributes) == 0);
    pthread_create(&thread, 0, run, 0);
    meet(0);
    pthread_join(thread, 0);
    assert(n_special == 1);
    assert(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}

// A barrier for one lets it pass.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

int main(void) {
    pthread_barrier_t barrier;
    assert(pthread_barrier_init(&barrier, 0, 1) == 0);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
    assert(pthread_barrier_destroy(&barrier) == 0);
    return 0;
}

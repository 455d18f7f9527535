// Any thread may be the one that is told apart.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *run(void *argument) {
    pthread_barrier_wait(&barrier);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, run, 0);
    assert(pthread_barrier_wait(&barrier) == 0); // fails
    pthread_join(thread, 0);
    return 0;
}

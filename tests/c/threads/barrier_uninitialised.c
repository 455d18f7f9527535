// A barrier has to be initialised.
// run: check
// verdict: violated unlock-error
// stdout: a barrier is used that was destroyed or never initialised
#include <pthread.h>

static pthread_barrier_t barrier;

int main(void) {
    pthread_barrier_wait(&barrier); // fails
    return 0;
}

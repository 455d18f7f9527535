// A barrier waits for all.
// run: check
// verdict: violated deadlock
#include <pthread.h>

int main(void) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_barrier_wait(&barrier); // fails
    return 0;
}

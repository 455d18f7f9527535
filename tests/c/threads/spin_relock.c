// A spinlock that its owner takes again spins for ever.
// run: check
// verdict: violated deadlock
// stdout: deadlock
#include <pthread.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, 0);
    pthread_spin_lock(&lock);
    pthread_spin_lock(&lock); // fails
    return 0;
}

// A spinlock that is held cannot be destroyed.
// run: check
// verdict: violated unlock-error
// stdout: a spinlock is destroyed while it is held
#include <pthread.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, 0);
    pthread_spin_lock(&lock);
    pthread_spin_destroy(&lock); // fails
    return 0;
}

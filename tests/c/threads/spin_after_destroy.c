// A destroyed spinlock cannot be tried.
// run: check
// verdict: violated unlock-error
// stdout: a spinlock is used that was destroyed
#include <pthread.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, 0);
    pthread_spin_destroy(&lock);
    pthread_spin_trylock(&lock); // fails
    return 0;
}

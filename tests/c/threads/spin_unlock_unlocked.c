// A spinlock nobody holds cannot be unlocked.
// run: check
// verdict: violated unlock-error
// stdout: a spinlock is unlocked that is not locked
#include <pthread.h>

int main(void) {
    pthread_spinlock_t lock;
    pthread_spin_init(&lock, 0);
    pthread_spin_unlock(&lock); // fails
    return 0;
}

// Only the thread that took a spinlock may give it back.
// run: check
// verdict: violated unlock-error
// stdout: a spinlock is unlocked that another thread holds
#include <pthread.h>

static pthread_spinlock_t lock;

static void *run(void *argument) {
    pthread_spin_unlock(&lock); // fails
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_spin_init(&lock, 0);
    pthread_spin_lock(&lock);
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    return 0;
}

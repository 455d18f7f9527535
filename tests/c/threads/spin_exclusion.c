// A counter behind a spinlock loses nothing.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *count(void *argument) {
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_spin_init(&lock, 0);
    pthread_create(&thread, 0, count, 0);
    count(0);
    pthread_join(thread, 0);
    assert(counter == 2);
    return 0;
}

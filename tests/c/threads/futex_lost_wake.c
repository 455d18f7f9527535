// The same lock, but whoever waits does not say so: nobody wakes it.
// run: check --no-spurious
// run: check
// verdict: violated deadlock
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int lock;
static int counter;

static void acquire(void) {
    while (atomic_exchange(&lock, 1) != 0) syscall(SYS_futex, &lock, FUTEX_WAIT, 1, NULL, NULL, 0); // fails
}

static void release(void) {
    if (atomic_exchange(&lock, 0) == 2) syscall(SYS_futex, &lock, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void *work(void *unused) {
    acquire();
    counter++;
    release();
    return unused;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, work, 0);
    work(0);
    pthread_join(other, 0);
    return 0;
}

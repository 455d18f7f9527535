// A lock made of a futex: nobody sleeps for ever, and the counter is right.
// run: check --no-spurious
// run: check
// verdict: verified
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int lock;
static int counter;

static void acquire(void) {
    int seen = 0;
    if (atomic_compare_exchange_strong(&lock, &seen, 1)) return;
    while (atomic_exchange(&lock, 2) != 0) syscall(SYS_futex, &lock, FUTEX_WAIT, 2, NULL, NULL, 0);
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
    assert(counter == 2);
    return 0;
}

// An update of weaker order is named as such.
// run: check
// verdict: verified
// assumption: atomic operations of weaker order included
#include <assert.h>
#include <pthread.h>

static int count;

static void *counter(void *unused) {
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, counter, 0);
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    pthread_join(thread, 0);
    assert(count == 2);
    return 0;
}

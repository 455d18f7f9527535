// A compare and exchange that fails has read: what others write before it decides whether it fails.
// run: check --property assertion
// with: --reduce none | --reduce global-access | --reduce superstep | --reduce dpor
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int f, g;
static void *worker1(void *argument) {
    int v = 0;
    if (atomic_compare_exchange_strong(&g, &v, 2)) {
        v = atomic_fetch_add(&f, 1);
    }
}
static void *worker2(void *argument) {
    int v = 0;
    v = atomic_exchange(&f, 1);
    assert(v != 2); // fails
}
int main(void) {
    pthread_t t1;
    pthread_t t2;
    pthread_create(&t1, 0, worker1, 0);
    g++;
    atomic_fetch_add(&f, 1);
    pthread_create(&t2, 0, worker2, 0);
}

// A flag that is cleared too early protects nothing.
// run: check --tabled
// run: check --tabled --data c
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct nothing {};

static atomic_flag lock = ATOMIC_FLAG_INIT;
static struct nothing empty;
static struct {
    struct nothing part;
    int n;
} counted;

static void *count(void *unused) {
    while (atomic_flag_test_and_set(&lock)) {}
    atomic_flag_clear(&lock);
    counted.n = counted.n + 1;
    counted.part = empty;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    count(0);
    pthread_join(thread, 0);
    assert(counted.n == 2); // fails
    return 0;
}

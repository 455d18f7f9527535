// The last counter joins one thread only.
// run: check --tabled
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static int n;

static void *count(void *unused) {
    __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) n = 0;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < 1; i++) pthread_join(threads[i], 0);
    assert(n == 2); // fails
    return 0;
}

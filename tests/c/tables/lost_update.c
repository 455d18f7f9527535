// Two threads count at the same time: in a model as in the program, one may overwrite what the other has counted.
// run: check --tabled
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static volatile int n;

static void *count(void *unused) {
    n = n + 1;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, count, 0);
    pthread_create(&other, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(n == 2); // fails
    return 0;
}

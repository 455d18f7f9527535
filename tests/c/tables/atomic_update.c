// An increment of an atomic object is one step, in a model as in the program.
// run: check --tabled
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static void *count(void *unused) {
    n++;
    n += 2;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, count, 0);
    pthread_create(&other, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(n == 6);
    return 0;
}

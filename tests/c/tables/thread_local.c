// Each thread has an object of its own; a model has none rather than one for all.
// run: check --tabled => unknown assertion
// run: check => verified
#include <assert.h>
#include <pthread.h>

static _Thread_local int n;

static void *count(void *unused) {
    n++;
    assert(n == 1);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, count, 0);
    pthread_create(&other, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}

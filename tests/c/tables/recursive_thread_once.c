// The same, with one call less than is asserted.
// run: check --tabled
// run: check
// verdict: violated assertion
#include <pthread.h>
#include <assert.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int k = n++;
    pthread_mutex_unlock(&m);
    if (k < 1) worker(arg);
    return 0;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0);
    worker(0);
    pthread_join(s, 0);
    assert(n == 4); // fails
    return 0;
}

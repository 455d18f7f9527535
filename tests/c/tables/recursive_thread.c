// A function that runs as a thread and calls itself: who starts it does not wait, who calls it does.
// run: check --tabled
// run: check --tabled --data c
// run: check
// verdict: verified
#include <pthread.h>
#include <assert.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    int k = n++;
    pthread_mutex_unlock(&m);
    if (k < 2) worker(arg);
    return 0;
}
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, worker, 0);
    worker(0);
    pthread_join(s, 0);
    assert(n == 4);
    return 0;
}

// A thread that has switched cancellation off goes on until it switches it on again.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static int n_done;

static void *run(void *argument) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_cancel(pthread_self());
    pthread_testcancel();
    n_done = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    assert(old == PTHREAD_CANCEL_DISABLE);
    pthread_testcancel();
    n_done = 2;
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED && n_done == 1);
    return 0;
}

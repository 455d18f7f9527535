// Cleanup handlers run where they are popped; nobody cancels.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static int n_cleaned;

static void clean(void *argument) { n_cleaned += *(int *)argument; }

int main(void) {
    int one = 1, ten = 10, old;
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0);
    pthread_cleanup_push(clean, &one);
    pthread_cleanup_push(clean, &ten);
    pthread_testcancel();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(1);
    assert(n_cleaned == 1);
    return 0;
}

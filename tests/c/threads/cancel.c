// A thread without cancellation points ends as if nobody had cancelled it.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, run, &thread);
    assert(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    assert(result == &thread);
    return 0;
}

// A request may come when the thread has passed its last cancellation point.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void *run(void *argument) {
    sleep(1);
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, run, 0);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED); // fails
    return 0;
}

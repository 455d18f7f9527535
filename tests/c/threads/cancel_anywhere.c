// Cancellation of the asynchronous type has no model.
// run: check
// verdict: unknown asynchronous cancellation
#include <pthread.h>

static void *run(void *argument) {
    int old;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    return 0;
}

// The result of pthread_exit arrives: the claim that it does not is refuted.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static void *run(void *argument) {
    (void)argument;
    pthread_exit((void *)7);
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, &result);
    assert(result != (void *)7); // fails
    return 0;
}

// After pthread_exit in main the other threads go on.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static int x;

static void *run(void *argument) {
    (void)argument;
    x = 1;
    assert(x == 0); // fails
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_exit(0);
}

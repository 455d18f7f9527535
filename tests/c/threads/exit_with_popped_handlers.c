// A handler that was popped does not run at the end of its thread.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static int n_cleaned;

static void clean(void *argument) { (void)argument, n_cleaned++; }

static void *run(void *argument) {
    pthread_cleanup_push(clean, 0);
    pthread_cleanup_pop(0);
    pthread_exit(argument);
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    assert(n_cleaned == 1); // fails
    return 0;
}

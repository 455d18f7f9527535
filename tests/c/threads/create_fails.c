// With --library-fails a thread may not start: what it would have written is not there.
// run: check --library-fails
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static void *run(void *argument) {
    *(int *)argument = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    int is_done = 0;
    if (pthread_create(&thread, 0, run, &is_done) == 0) pthread_join(thread, 0);
    assert(is_done); // fails
    return 0;
}

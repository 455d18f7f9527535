// A cancelled thread ends where it sleeps, runs its handlers, and leaves PTHREAD_CANCELED.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int is_cleaned;

static void clean(void *argument) { *(int *)argument = 1; }

static void *run(void *argument) {
    pthread_cleanup_push(clean, argument);
    for (;;) sleep(1);
    pthread_cleanup_pop(0);
    return 0;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, run, &is_cleaned);
    assert(pthread_cancel(thread) == 0);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    assert(is_cleaned);
    return 0;
}

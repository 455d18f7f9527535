// A thread that ends with cleanup handlers pushed runs them, the latest first, those of its callers too.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static int order;

static void clean(void *argument) { order = order * 10 + *(int *)argument; }

static void leave(void *result) {
    int three = 3;
    pthread_cleanup_push(clean, &three);
    pthread_exit(result);
    pthread_cleanup_pop(0);
}

static void *run(void *argument) {
    int one = 1, two = 2;
    pthread_cleanup_push(clean, &one);
    pthread_cleanup_push(clean, &two);
    pthread_cleanup_pop(0);
    leave(argument);
    pthread_cleanup_pop(0);
    return 0;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, run, &thread);
    pthread_join(thread, &result);
    assert(result == &thread);
    assert(order == 31);
    return 0;
}

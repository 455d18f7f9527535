// A thread may end anywhere, and leaves its result to whoever joins it.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static int n_after;

static void give_up(void) {
    int local = 3;
    pthread_exit((void *)(long)local);
}

static void *run(void *argument) {
    give_up();
    n_after++;
    return argument;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, &result);
    assert(result == (void *)3);
    assert(n_after == 0);
    return 0;
}

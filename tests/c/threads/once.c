// The function runs once, and nobody goes on before it has.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int n_runs;

static void initialise(void) { n_runs++; }

static void *run(void *argument) {
    assert(pthread_once(&once, initialise) == 0);
    assert(n_runs == 1);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    run(0);
    pthread_join(thread, 0);
    return 0;
}

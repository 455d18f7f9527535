// A number that names no thread cannot be joined.
// run: check
// verdict: violated unlock-error
// stdout: a thread is joined that was never started
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread + 1, 0); // fails
    return 0;
}

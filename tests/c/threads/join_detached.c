// A detached thread cannot be joined.
// run: check
// verdict: violated unlock-error
// stdout: a thread is joined that is detached
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_detach(thread);
    pthread_join(thread, 0); // fails
    return 0;
}

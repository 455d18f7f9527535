// A thread can be detached once.
// run: check
// verdict: violated unlock-error
// stdout: a thread is detached for the second time
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_detach(thread);
    pthread_detach(thread); // fails
    return 0;
}

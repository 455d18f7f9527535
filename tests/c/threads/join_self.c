// A thread cannot wait for its own end.
// run: check
// verdict: violated unlock-error
// stdout: a thread joins itself
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(pthread_self(), 0); // fails
    return 0;
}

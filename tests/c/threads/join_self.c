// A thread that waits for its own end waits for ever.
// run: check
// verdict: violated deadlock
// stdout: waits for the end of thread 0
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(pthread_self(), 0); // fails
    return 0;
}

// A thread can be joined once.
// run: check
// verdict: violated unlock-error
// stdout: a thread is joined for the second time
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    pthread_join(thread, 0); // fails
    return 0;
}

// A thread that was joined is no more.
// run: check
// verdict: violated unlock-error
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    pthread_cancel(thread); // fails
    return 0;
}

// A thread that was joined cannot be detached.
// run: check
// verdict: violated unlock-error
// stdout: a thread is detached that is joined
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    pthread_detach(thread); // fails
    return 0;
}

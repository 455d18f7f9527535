// A thread started detached cannot be joined.
// run: check
// verdict: violated unlock-error
#include <pthread.h>

static void *run(void *argument) { return argument; }

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, run, 0);
    pthread_attr_destroy(&attributes);
    pthread_join(thread, 0); // fails
    return 0;
}

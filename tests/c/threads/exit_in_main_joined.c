// A thread may join the first one.
// run: check
// verdict: verified
#include <pthread.h>

static void *run(void *argument) {
    void *result;
    pthread_join(*(pthread_t *)argument, &result);
    return 0;
}

static pthread_t first;

int main(void) {
    pthread_t thread;
    first = pthread_self();
    pthread_create(&thread, 0, run, &first);
    pthread_exit(0);
}

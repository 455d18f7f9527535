// When the last thread ends after pthread_exit in main, the program exits and runs its handlers.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *run(void *argument) {
    x = 1;
    return argument;
}

static void at_end(void) {
    assert(x == 0); // fails
}

int main(void) {
    pthread_t thread;
    atexit(at_end);
    pthread_create(&thread, 0, run, 0);
    pthread_exit(0);
}

// What is not volatile still races; so does nothing that counts with `++` get atomic as a whole.
// run: check --volatile atomic --property race => violated data-race
// run: check -DVOLATILE=volatile --volatile atomic --property assertion,race => violated assertion
// assumption: accesses to volatile objects are relaxed atomic accesses
#include <assert.h>
#include <pthread.h>

#ifndef VOLATILE
#define VOLATILE
#endif

static volatile int started;
static int VOLATILE n;

static void *count(void *unused) {
    started = 1;
    n++; // fails
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    n++; // fails
    pthread_join(thread, 0);
    assert(n == 2); // fails
    return 0;
}

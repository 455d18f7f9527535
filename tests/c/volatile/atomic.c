// A volatile flag in the style of kernels: a race in C, none if each access is an atomic one.
// run: check --property race,assertion => violated data-race
// run: check --volatile atomic --property race,assertion => verified
#include <assert.h>
#include <pthread.h>

static volatile int ready;
static int data;

static void *give(void *unused) {
    data = 1;
    ready = 1; // fails
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, give, 0);
    int seen = ready; // fails
    assert(seen == 0 || seen == 1);
    pthread_join(thread, 0);
    assert(data == 1);
    return 0;
}

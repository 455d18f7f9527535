// A condition reads one object after the other, and a thread may come between.
// run: check --tabled
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static volatile int x, y;

static void *move(void *unused) {
    y = 1;
    x = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, move, 0);
    if (y == 0 && x == 1)
        assert(0); // fails
    pthread_join(thread, 0);
    return 0;
}

// What a thread does counts: its write breaks the assertion behind the join.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static int x;

static void *write(void *argument) {
    (void)argument;
    x = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write, 0);
    pthread_join(thread, 0);
    assert(x == 0); // fails
    return 0;
}

// What a C11 thread does counts.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <threads.h>

static int x;

static int run(void *argument) {
    (void)argument;
    return x = 1;
}

int main(void) {
    thrd_t thread;
    int result;
    thrd_create(&thread, run, 0);
    thrd_join(thread, &result);
    assert(result != x); // fails
    return 0;
}

// A C11 thread can be joined once.
// run: check
// verdict: violated unlock-error
// stdout: a thread is joined for the second time
#include <threads.h>

static int run(void *argument) { return argument != 0; }

int main(void) {
    thrd_t thread;
    thrd_create(&thread, run, 0);
    thrd_join(thread, 0);
    thrd_join(thread, 0); // fails
    return 0;
}

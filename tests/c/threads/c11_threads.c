// C11 threads: results, identities, ends.
// run: check
// verdict: verified
#include <assert.h>
#include <threads.h>

static thrd_t seen;

static int run(void *argument) {
    seen = thrd_current();
    thrd_yield();
    if (argument) thrd_exit(-3);
    return 5;
}

int main(void) {
    thrd_t thread;
    int result;
    struct timespec moment = {0, 1};
    assert(thrd_create(&thread, run, 0) == thrd_success);
    assert(thrd_sleep(&moment, 0) == 0);
    assert(thrd_join(thread, &result) == thrd_success && result == 5);
    assert(thrd_equal(seen, thread) && !thrd_equal(thread, thrd_current()));
    assert(thrd_create(&thread, run, &thread) == thrd_success);
    assert(thrd_join(thread, &result) == thrd_success && result == -3);
    assert(thrd_create(&thread, run, 0) == thrd_success);
    assert(thrd_detach(thread) == thrd_success);
    return 0;
}

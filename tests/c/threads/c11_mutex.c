// C11 mutexes used rightly by one thread.
// run: check
// verdict: verified
#include <assert.h>
#include <threads.h>

int main(void) {
    mtx_t plain, nested;
    struct timespec soon = {0, 0};
    assert(mtx_init(&plain, mtx_plain) == thrd_success);
    assert(mtx_init(&nested, mtx_timed | mtx_recursive) == thrd_success);
    assert(mtx_init(&nested, 9) == thrd_error);
    assert(mtx_lock(&plain) == thrd_success);
    assert(mtx_trylock(&plain) == thrd_busy);
    assert(mtx_unlock(&plain) == thrd_success);
    assert(mtx_lock(&nested) == thrd_success);
    assert(mtx_timedlock(&nested, &soon) == thrd_success);
    assert(mtx_unlock(&nested) == thrd_success);
    assert(mtx_unlock(&nested) == thrd_success);
    mtx_destroy(&plain);
    mtx_destroy(&nested);
    return 0;
}

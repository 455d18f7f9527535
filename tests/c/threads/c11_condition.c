// C11 conditions: a consumer waits for what a producer makes.
// run: check
// verdict: verified
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t filled;
static int n_items;

static int consume(void *argument) {
    struct timespec soon = {1, 0};
    mtx_lock(&mutex);
    while (n_items == 0) {
        if (!argument) {
            assert(cnd_wait(&filled, &mutex) == thrd_success);
            continue;
        }
        int result = cnd_timedwait(&filled, &mutex, &soon);
        assert(result == thrd_success || result == thrd_timedout);
    }
    n_items--;
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t a, b;
    mtx_init(&mutex, mtx_plain);
    assert(cnd_init(&filled) == thrd_success);
    thrd_create(&a, consume, 0);
    thrd_create(&b, consume, &a);
    mtx_lock(&mutex);
    n_items = 2;
    cnd_broadcast(&filled);
    mtx_unlock(&mutex);
    cnd_signal(&filled);
    thrd_join(a, 0);
    thrd_join(b, 0);
    assert(n_items == 0);
    cnd_destroy(&filled);
    mtx_destroy(&mutex);
    return 0;
}

// Thread-specific storage and call_once of C11.
// run: check
// verdict: verified
#include <assert.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int n_runs;

static void initialise(void) {
    n_runs++;
    assert(tss_create(&key, 0) == thrd_success);
}

int main(void) {
    call_once(&flag, initialise);
    call_once(&flag, initialise);
    assert(n_runs == 1);
    assert(tss_get(key) == 0);
    assert(tss_set(key, &n_runs) == thrd_success);
    assert(tss_get(key) == &n_runs);
    tss_delete(key);
    assert(tss_set(key, 0) == thrd_error);
    return 0;
}

// With constant orders that are the strongest, C promises sequential consistency.
// run: check
// verdict: verified
// assumption: as C promises to programs without data races
#include <assert.h>
#include <pthread.h>

static int flag;

static void *writer(void *unused) {
    __atomic_fetch_add(&flag, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int none = 0;
    __atomic_compare_exchange_n(&flag, &none, 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    pthread_join(thread, 0);
    assert(flag == 1 || flag == 4);
    return 0;
}

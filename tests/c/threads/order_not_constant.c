// An order that is known only when the program runs may be the weakest one; its expression is evaluated.
// run: check
// verdict: verified
// assumption: atomic operations of weaker order included
#include <assert.h>
#include <pthread.h>

static int n_orders;
static int order(int which) {
    n_orders++;
    return which;
}

static int flag;

static void *writer(void *unused) {
    __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int before = __atomic_load_n(&flag, order(__ATOMIC_RELAXED));
    pthread_join(thread, 0);
    int old = __atomic_fetch_add(&flag, 1, order(__ATOMIC_RELAXED));
    assert(before <= 1 && old == 1 && flag == 2 && n_orders == 2);
    return 0;
}

// A choice outside regions, and those of spurious wake-ups and of whom a signal wakes inside them.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: violated assertion
// stdout: "engine":"flat"
#include <assert.h>
#include <pthread.h>

_Bool __VERIFIER_nondet_bool(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int n_woken, is_signalled;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    n_woken++;
    assert(n_woken < 2 || is_signalled); // fails
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, waiter, 0);
    pthread_create(&other, 0, waiter, 0);
    pthread_mutex_lock(&mutex);
    if (__VERIFIER_nondet_bool())
        is_signalled = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    return 0;
}

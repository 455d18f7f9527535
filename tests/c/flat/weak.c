// A weak exchange may fail for no reason.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: violated assertion
// stdout: "engine":"flat"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int value;

static void *work(void *unused)
{
    int expected = 0;
    if (!atomic_compare_exchange_weak(&value, &expected, 1))
        assert(expected == 1); // fails
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
    return 0;
}

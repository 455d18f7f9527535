// Each thread has its own of what is thread-local, with its own first value.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: verified
// stdout: "engine":"flat"
#include <assert.h>
#include <pthread.h>

static _Thread_local int count = 5;

static void *work(void *unused)
{
    count++;
    assert(count == 6);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    count += 2;
    pthread_join(thread, 0);
    assert(count == 7);
    return 0;
}

// Functions that call themselves are not opened out.
// run: check --engine flat
// verdict: verified
// stdout: "engine":"explicit instead of flat"
#include <assert.h>
#include <pthread.h>

static int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }

static void *work(void *unused)
{
    assert(sum(3) == 6);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return 0;
}

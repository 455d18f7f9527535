// Each thread goes back to its own place; one error is forgotten in what is expected.
// run: check
// with: --reduce none | --reduce dpor
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n_errors;

static void fail(jmp_buf *place)
{
    pthread_mutex_lock(&lock);
    n_errors++;
    pthread_mutex_unlock(&lock);
    longjmp(*place, 5);
}

static void *run(void *unused)
{
    jmp_buf place;
    int got = setjmp(place);
    if (got == 0)
        fail(&place);
    assert(got == 5);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    run(0);
    pthread_join(thread, 0);
    assert(n_errors == 1); // fails
    return 0;
}

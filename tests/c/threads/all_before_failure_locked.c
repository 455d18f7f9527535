// As all_before_failure.c, but the other threads do nothing wrong: the failure of the first one is all there is.
// run: check --all
// run: check --all --reduce none
// run: check --all --reduce global-access
// run: check --all --reduce superstep
// verdict: violated assertion
// stdout: },"assumptions":[
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *one(void *unused)
{
    pthread_mutex_lock(&lock);
    shared = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, one, 0);
    pthread_create(&second, 0, one, 0);
    assert(0); // fails
}

// Two threads with a lock and a variable outside it: all three outcomes are found, and not the fourth. A thread that
// waits for the lock will touch what it protects.
// run: check -DA=0 -DB=1 => violated assertion
// run: check -DA=1 -DB=0 => violated assertion
// run: check -DA=1 -DB=1 => violated assertion
// run: check -DA=0 -DB=0 => verified
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int x;
static int y, a, b;

static void *one(void *unused)
{
    pthread_mutex_lock(&mutex);
    y = 1;
    pthread_mutex_unlock(&mutex);
    a = x;
    return unused;
}

static void *two(void *unused)
{
    pthread_mutex_lock(&mutex);
    b = y;
    x = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, two, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a != A || b != B); // fails
    return 0;
}

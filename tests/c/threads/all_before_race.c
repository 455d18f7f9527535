// A race that is possible at once ends its own execution only: a third thread's failure is listed as well.
// run: check --all
// run: check --all --reduce global-access
// verdict: violated deadlock
// stdout: "kind":"data-race"
// stdout: "kind":"assertion"
// stdout: "kind":"deadlock"
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *write(void *unused)
{
    pthread_barrier_wait(&barrier);
    shared = 1; // fails
    return unused;
}

static void *count(void *unused)
{
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 3; i++)
        assert(i < 2); // fails
    return unused;
}

static void *lock(void *unused)
{
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&a); // fails
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    pthread_barrier_init(&barrier, 0, 4);
    pthread_create(&threads[0], 0, write, 0);
    pthread_create(&threads[1], 0, write, 0);
    pthread_create(&threads[2], 0, count, 0);
    pthread_create(&threads[3], 0, lock, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
}

// A data race between a thread that holds a lock and one that holds another: both places, and what was held there.
// run: check --width 60
// run: check --width 100
// run: check --width 160
// exit: 1
// stdout: in thread 1
// stdout: thread 1 holds &first
// stdout: thread 2 holds &others[1]
// stdout: data race
// stdout: in thread 2
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t others[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int counter;

static void *up(void *unused)
{
    pthread_mutex_lock(&first);
    counter++;
    pthread_mutex_unlock(&first);
    return unused;
}

static void *down(void *unused)
{
    pthread_mutex_lock(&others[1]);
    counter--;
    pthread_mutex_unlock(&others[1]);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, up, 0);
    pthread_create(&two, 0, down, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

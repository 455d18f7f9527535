// To wait behind a label of progress is no progress.
// run: check --property livelock => violated livelock
// run: check --tabled --property livelock => violated livelock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;

static void *other(void *unused)
{
progress_other:
    pthread_mutex_lock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, other, 0);
    while (1)            // fails
        turn = 1 - turn; // fails
    return 0;
}

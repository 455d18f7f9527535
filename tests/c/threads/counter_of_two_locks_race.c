// A number that changes under two locks is a data race, and the report names the locks.
// run: check
// verdict: violated data-race
// stdout: holds &queue
// stdout: holds &results
#include <pthread.h>

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, results = PTHREAD_MUTEX_INITIALIZER;
static int busy;

static void *work(void *unused)
{
    pthread_mutex_lock(&queue);
    busy++; // fails
    pthread_mutex_unlock(&queue);
    pthread_mutex_lock(&results);
    busy--; // fails
    pthread_mutex_unlock(&results);
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

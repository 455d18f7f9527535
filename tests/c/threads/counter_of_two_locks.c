// At most two of three workers may be busy. The number of busy ones grows under one lock and shrinks under another: an update
// is lost, and in the end someone seems to be busy still.
// run: check --property assertion,deadlock,memory
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

#define WORKERS 3
#define LIMIT 2

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
#define results queue
#else
static pthread_mutex_t results = PTHREAD_MUTEX_INITIALIZER;
#endif
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int busy;

static void *work(void *unused)
{
    pthread_mutex_lock(&queue);
    while (busy >= LIMIT)
        pthread_cond_wait(&changed, &queue);
    busy++;
    pthread_mutex_unlock(&queue);

    pthread_mutex_lock(&results);
    busy--;
    pthread_mutex_unlock(&results);
    pthread_mutex_lock(&queue);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&queue);
    return unused;
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], 0);
    assert(busy == 0); // fails
    return 0;
}

// Workers take numbered jobs from a list under a mutex and work on them without it.
// verdict: verified
// row: small -DN=2 -DJOBS=2
// row: medium -DN=3 -DJOBS=4
// row: large -DN=4 -DJOBS=6
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int next_job, results[JOBS];

static void *worker(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        int job = next_job;
        if (job < JOBS)
            next_job = job + 1;
        pthread_mutex_unlock(&mutex);
        if (job >= JOBS)
            return unused;
        for (int step = 0; step < 3; step++)
            results[job] += job;
    }
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < JOBS; i++)
        assert(results[i] == 3 * i);
    return 0;
}

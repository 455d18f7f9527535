// A parallel file scanner: threads take files from a queue that main fills and closes, and count matches under a
// lock of their own. Who forgets that lock loses matches or, to C, races.
// run: check --no-spurious -DN=2 => verified
// run: check --no-spurious -DN=2 -DUNLOCKED => violated data-race
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

#define FILES 2
#define LENGTH 3

static const char texts[FILES][LENGTH] = {{'a', 'x', 'a'}, {'b', 'a', 'b'}};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, total_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static int queue[FILES], n_queued, is_closed, n_found;

static void count(int n_here)
{
#ifndef UNLOCKED
    pthread_mutex_lock(&total_mutex);
#endif
    n_found += n_here; // fails
#ifndef UNLOCKED
    pthread_mutex_unlock(&total_mutex);
#endif
}

static void *scan(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (n_queued == 0 && !is_closed)
            pthread_cond_wait(&not_empty, &mutex);
        if (n_queued == 0)
            break;
        int file = queue[--n_queued];
        pthread_mutex_unlock(&mutex);
        int n_here = 0;
        for (int i = 0; i < LENGTH; i++)
            n_here += texts[file][i] == 'a';
        count(n_here);
    }
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, scan, 0);
    for (int file = 0; file < FILES; file++) {
        pthread_mutex_lock(&mutex);
        queue[n_queued++] = file;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    is_closed = 1;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(n_found == 3);
    return 0;
}

// A parallel file scanner: one thread fills a queue of files, the others look for a letter in them.
// verdict: verified
// flags: --no-spurious
// row: small -DN=1 -DFILES=2
// row: medium -DN=2 -DFILES=3
// row: medium -DN=4 -DFILES=4
#include <assert.h>
#include <pthread.h>

#define LENGTH 3
#define ROOM 2

static const char texts[4][LENGTH] = {{'a', 'x', 'a'}, {'b', 'b', 'a'}, {'c', 'c', 'c'}, {'a', 'a', 'a'}};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, total_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], first, n_queued, is_closed, n_found;

static void *scan(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (n_queued == 0 && !is_closed)
            pthread_cond_wait(&not_empty, &mutex);
        if (n_queued == 0) {
            pthread_mutex_unlock(&mutex);
            return unused;
        }
        int file = queue[first];
        first = (first + 1) % ROOM;
        n_queued--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
        int n_here = 0;
        for (int i = 0; i < LENGTH; i++)
            if (texts[file][i] == 'a')
                n_here++;
        pthread_mutex_lock(&total_mutex);
        n_found += n_here;
        pthread_mutex_unlock(&total_mutex);
    }
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], 0, scan, 0);
    for (int file = 0; file < FILES; file++) {
        pthread_mutex_lock(&mutex);
        while (n_queued == ROOM)
            pthread_cond_wait(&not_full, &mutex);
        queue[(first + n_queued) % ROOM] = file;
        n_queued++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    is_closed = 1;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    assert(n_found == (FILES == 2 ? 3 : FILES == 3 ? 3 : 6));
    return 0;
}

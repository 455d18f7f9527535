// One thread adds fives, one takes twos away, each step at once; the remainder by five may well be four.
// verdict: violated assertion
// row: small -DLIMIT=64
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int d;

static void *up(void *unused)
{
    for (int i = 0; i < LIMIT; i += 5) {
        pthread_mutex_lock(&mutex);
        d += 5;
        assert(d % 5 != 4);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *down(void *unused)
{
    for (int i = 0; i < LIMIT; i += 2) {
        pthread_mutex_lock(&mutex);
        d -= 2;
        assert(d % 5 != 4);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, up, 0);
    pthread_create(&threads[1], 0, down, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}

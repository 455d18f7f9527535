// Behind a barrier everybody sees what was written before it.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int values[2];

static void *half(void *unused)
{
    values[1] = 20;
    pthread_barrier_wait(&barrier);
    assert(values[0] == 10);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&other, 0, half, 0);
    values[0] = 10;
    pthread_barrier_wait(&barrier);
    assert(values[1] == 20);
    pthread_join(other, 0);
    return 0;
}

// Philosophers who take the lower fork first all eat.
// verdict: verified
// row: small -DN=2
// row: small -DN=3
// row: medium -DN=5
// row: medium -DN=7
// row: large -DN=9
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t forks[N];
static int uses[N];

static void *dine(void *argument)
{
    int self = (int)(long)argument, next = (self + 1) % N;
    int first = self < next ? self : next, second = self < next ? next : self;
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    uses[first]++;
    uses[second]++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, dine, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < N; i++)
        assert(uses[i] == 2);
    return 0;
}

// Philosophers who all take the left fork first starve together.
// verdict: violated deadlock
// row: small -DN=3
// row: medium -DN=5
// row: medium -DN=6
#include <pthread.h>

static pthread_mutex_t forks[N];
static int meals[N];

static void *dine(void *argument)
{
    int self = (int)(long)argument;
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&forks[self]);
        pthread_mutex_lock(&forks[(self + 1) % N]);
        meals[self]++;
        pthread_mutex_unlock(&forks[(self + 1) % N]);
        pthread_mutex_unlock(&forks[self]);
    }
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
    return 0;
}

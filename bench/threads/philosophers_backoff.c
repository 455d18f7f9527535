// Philosophers who put the first fork back when the second is taken.
// verdict: verified
// row: small -DN=2
// row: small -DN=3
// row: medium -DN=5
// row: medium -DN=6
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t forks[N];
static int meals[N];

static void *dine(void *argument)
{
    int self = (int)(long)argument, next = (self + 1) % N;
    for (;;) {
        pthread_mutex_lock(&forks[self]);
        if (pthread_mutex_trylock(&forks[next]) == 0)
            break;
        pthread_mutex_unlock(&forks[self]);
    }
    meals[self]++;
    pthread_mutex_unlock(&forks[next]);
    pthread_mutex_unlock(&forks[self]);
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
        assert(meals[i] == 1);
    return 0;
}

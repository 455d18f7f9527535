// Dining philosophers, one of whom takes the forks the other way round, never starve.
// run: check -DFIXED -DN=2
// run: check -DFIXED -DN=3
// verdict: verified
#include <pthread.h>

static pthread_mutex_t forks[N];
static int numbers[N];

static void *dine(void *argument)
{
    int self = *(int *)argument;
    int first = self, second = (self + 1) % N;
#ifdef FIXED
    if (self == N - 1) {
        first = second;
        second = self;
    }
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], 0);
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], 0, dine, &numbers[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

// Philosophers: all with the left fork first can starve, and need not with the lower fork first.
// run: check -DN=2 => violated deadlock
// run: check -DN=3 => violated deadlock
// run: check -DN=3 --reduce global-access => violated deadlock
// run: check -DN=3 --preemptions 0 => unknown no violation within 0 preemptions
// run: check -DN=3 --preemptions 1 => violated deadlock
// run: check -DN=5 => violated deadlock
// run: check -DN=2 -DORDERED => verified
// run: check -DN=3 -DORDERED => verified
// run: check -DN=3 -DORDERED --reduce global-access => verified
// run: check -DN=4 -DORDERED => verified
#include <pthread.h>

static pthread_mutex_t forks[N];

static void *dine(void *argument)
{
    int first = (int)(long)argument, second = (first + 1) % N;
#ifdef ORDERED
    if (second < first) {
        second = first;
        first = 0;
    }
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]); // fails
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
    return 0;
}

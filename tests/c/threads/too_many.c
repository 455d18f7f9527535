// More threads than --threads allows are a reason not to know.
// run: check --threads 3
// verdict: unknown more than 3 threads at once
#include <pthread.h>

static void *nothing(void *unused) { return unused; }

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, nothing, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}

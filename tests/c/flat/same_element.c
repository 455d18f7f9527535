// Two threads write the same element of an array.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: violated data-race
// stdout: "engine":"flat"
#include <pthread.h>

static int numbers[4];

static void *work(void *argument)
{
    int *number = argument;
    *number = 1; // fails
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, &numbers[i % 2 + 1]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}

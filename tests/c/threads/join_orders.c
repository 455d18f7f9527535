// What a thread did is seen by who joins it, and stack objects may be shared.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static void *square(void *pointer)
{
    int *number = pointer;
    *number *= *number;
    return pointer;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {3, 4};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, square, &numbers[i]);
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += *(int *)result;
    }
    assert(sum == 25);
    return 0;
}

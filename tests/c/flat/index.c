// An index is checked in one step and used in the next.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: violated out-of-bounds
// stdout: "engine":"flat"
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int n_used;
static _Atomic int items[2];

static void *put(void *unused)
{
    if (n_used < 2)
        items[n_used++] = 1; // fails
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, put, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}

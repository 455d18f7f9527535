// A pointer to a thread-local variable makes it everybody's.
// run: check
// verdict: violated data-race
#include <pthread.h>

static _Thread_local int own = 5;

static void *change(void *pointer)
{
    *(int *)pointer = 6;
    return 0;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, change, &own);
    own = 7; // fails
    pthread_join(other, 0);
    return 0;
}

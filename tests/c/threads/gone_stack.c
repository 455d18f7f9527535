// A thread that outlives the function that lent it a variable writes to what is gone.
// run: check --property memory
// verdict: violated use-after-free
#include <pthread.h>

static pthread_t other;

static void *later(void *pointer)
{
    *(int *)pointer = 1; // fails
    return 0;
}

static void lend(void)
{
    int variable = 0;
    pthread_create(&other, 0, later, &variable);
}

int main(void)
{
    lend();
    pthread_join(other, 0);
    return 0;
}

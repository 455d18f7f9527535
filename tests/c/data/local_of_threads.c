// A thread adds to a local object of `main`, which reads it too early.
// run: check --property assertion
// verdict: violated assertion
// models: promela violated
#include <assert.h>
#include <pthread.h>

static int *shared;

static void *add(void *unused)
{
    int old = *shared;
    *shared = old + 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    int count = 0;
    shared = &count;
    pthread_create(&thread, 0, add, 0);
    (*shared)++;
    pthread_join(thread, 0);
    assert(count == 2); // fails
    return 0;
}

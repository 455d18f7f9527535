// Threads are started without end; a race among the first few is found, although not all can be followed.
// run: check
// run: check --workers 1
// verdict: violated data-race
#include <pthread.h>

static int n;

static void *count(void *unused)
{
    n++; // fails
    return unused;
}

int main(void)
{
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, count, 0);
}

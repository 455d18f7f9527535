// A thread that ends the program leaves nobody stuck.
// run: check
// run: check --tabled
// verdict: verified
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    exit(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, other, 0);
    pthread_mutex_lock(&lock);
    return 0;
}

// The end of the first thread is not that of the program.
// run: check => violated deadlock
// run: check --tabled => violated end-state
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock); // fails
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_exit(0);
}

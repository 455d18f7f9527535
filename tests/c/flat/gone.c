// So is a pointer to an object whose life is over.
// run: check --engine flat
// verdict: violated use-after-free
// stdout: "engine":"explicit instead of flat"
#include <pthread.h>

static void *work(void *argument)
{
    int *value = argument;
    return (void *)(long)*value; // fails
}

static void start(pthread_t *thread)
{
    int value = 1;
    pthread_create(thread, 0, work, &value);
}

int main(void)
{
    pthread_t thread;
    start(&thread);
    pthread_join(thread, 0);
    return 0;
}

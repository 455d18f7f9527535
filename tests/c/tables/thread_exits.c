// A thread that ends the program leaves nobody stuck.
// run: check
// run: check --tabled
// verdict: verified
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t semaphore;

static void *other(void *unused)
{
    exit(0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, other, 0);
    sem_wait(&semaphore);
    return 0;
}

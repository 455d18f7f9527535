// A thread that waits for ever while another joins it is one.
// run: check --engine flat
// with: --reduce none | --workers 2
// verdict: violated deadlock
// stdout: "engine":"flat"
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *wait_for_ever(void *unused)
{
    sem_wait(&semaphore); // fails
    return unused;
}

int main(void)
{
    pthread_t thread;
    sem_init(&semaphore, 0, 0);
    pthread_create(&thread, 0, wait_for_ever, 0);
    pthread_join(thread, 0);
    return 0;
}

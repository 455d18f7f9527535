// A semaphore that nobody posts.
// run: check
// verdict: violated deadlock
// stdout: thread 0 waits for &ready to be posted, and no other thread is left
#include <semaphore.h>

static sem_t ready;

int main(void)
{
    sem_init(&ready, 0, 1);
    sem_wait(&ready);
    sem_wait(&ready); // fails
    return 0;
}

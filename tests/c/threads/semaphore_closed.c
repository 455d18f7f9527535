// A semaphore nobody posts is waited for in vain.
// run: check
// verdict: violated deadlock
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    sem_wait(&semaphore);
    sem_wait(&semaphore); // fails
    return 0;
}

// A destroyed semaphore cannot be posted.
// run: check
// verdict: violated unlock-error
// stdout: a semaphore is used that was destroyed
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    sem_destroy(&semaphore);
    sem_post(&semaphore); // fails
    return 0;
}

// A semaphore has to be initialised.
// run: check
// verdict: violated uninitialized
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    sem_wait(&semaphore); // fails
    return 0;
}

// Named semaphores have no model.
// run: check
// verdict: unknown sem_open
#include <semaphore.h>

int main(void) {
    sem_t *semaphore = sem_open("/name", 0);
    return semaphore == SEM_FAILED;
}

// A semaphore used rightly by one thread.
// run: check
// verdict: verified
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

int main(void) {
    sem_t semaphore;
    struct timespec soon = {0, 0}, wrong = {0, 1000000000};
    int value;
    assert(sem_init(&semaphore, 0, 0x80000000) == -1 && errno == EINVAL);
    assert(sem_init(&semaphore, 0, 2) == 0);
    assert(sem_wait(&semaphore) == 0);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 1);
    assert(sem_trywait(&semaphore) == 0);
    assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    assert(sem_timedwait(&semaphore, &soon) == -1 && errno == ETIMEDOUT);
    assert(sem_timedwait(&semaphore, &wrong) == -1 && errno == EINVAL);
    assert(sem_post(&semaphore) == 0);
    assert(sem_timedwait(&semaphore, &soon) == 0);
    assert(sem_destroy(&semaphore) == 0);
    assert(sem_init(&semaphore, 0, SEM_VALUE_MAX) == 0);
    assert(sem_post(&semaphore) == -1 && errno == EOVERFLOW);
    assert(sem_destroy(&semaphore) == 0);
    return 0;
}

// With --library-fails initialising may fail.
// run: check --library-fails
// verdict: verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

int main(void) {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pthread_rwlock_t lock;
    pthread_barrier_t barrier;
    pthread_spinlock_t spinlock;
    pthread_key_t key;
    sem_t semaphore;
    int error;
    if ((error = pthread_mutex_init(&mutex, 0)) == 0)
        pthread_mutex_destroy(&mutex);
    else
        assert(error == EAGAIN);
    if ((error = pthread_cond_init(&condition, 0)) == 0)
        pthread_cond_destroy(&condition);
    else
        assert(error == EAGAIN);
    if (pthread_rwlock_init(&lock, 0) == 0) pthread_rwlock_destroy(&lock);
    if (pthread_barrier_init(&barrier, 0, 1) == 0) pthread_barrier_destroy(&barrier);
    if (pthread_spin_init(&spinlock, 0) == 0) pthread_spin_destroy(&spinlock);
    if (pthread_key_create(&key, 0) == 0) pthread_key_delete(key);
    if (sem_init(&semaphore, 0, 1) == 0)
        sem_destroy(&semaphore);
    else
        assert(errno == ENOSPC);
    return 0;
}

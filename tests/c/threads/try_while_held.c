// A thread that tries for a lock goes on when another holds it: holding it does not keep the other away.
// run: check --property memory
// with: --reduce none | --reduce global-access | --reduce superstep | --reduce dpor
// verdict: violated use-after-free
#include <pthread.h>
static int y;
static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t gate;
static void *worker1(void *argument) {
    if (pthread_mutex_trylock(&m0) == 0) {
        pthread_spin_lock(&gate);
            if (y == 0) {
                pthread_exit(0);
            }
        pthread_spin_unlock(&gate);
    pthread_mutex_unlock(&m0);
    }
    return 0;
}
static void *worker2(void *argument) {
    int *place = argument;
    int u = 0;
    pthread_spin_lock(&gate);
        pthread_mutex_lock(&m0);
            u = *place; // fails
        pthread_mutex_unlock(&m0);
    pthread_spin_unlock(&gate);
    return 0;
}
int main(void) {
    int local = 0;
    pthread_spin_init(&gate, 0);
    pthread_t t1;
    pthread_t t2;
    pthread_create(&t1, 0, worker1, &local);
    pthread_create(&t2, 0, worker2, &local);
    pthread_join(t1, 0);
    return 0;
}

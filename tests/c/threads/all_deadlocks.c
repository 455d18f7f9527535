// Two deadlocks in one library function are two, because the calls are on different lines. Either wait may end by itself before the other begins.
// run: check --all --reduce none --property deadlock
// verdict: violated deadlock
// stdout: "others":[{"kind":"deadlock"
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static void *run(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&filled, &mutex); // fails
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&filled, &mutex); // fails
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}

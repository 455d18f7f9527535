// One signal is not enough for two waiting threads.
// run: check
// verdict: violated deadlock
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t open = PTHREAD_COND_INITIALIZER;
static int is_open;

static void *pass(void *argument) {
    pthread_mutex_lock(&mutex);
    while (!is_open) pthread_cond_wait(&open, &mutex); // fails
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, pass, 0);
    pthread_create(&b, 0, pass, 0);
    pthread_mutex_lock(&mutex);
    is_open = 1;
    pthread_cond_signal(&open);
    pthread_mutex_unlock(&mutex);
    pthread_join(a, 0); // fails
    pthread_join(b, 0); // fails
    return 0;
}

// A broadcast wakes all; the condition may be destroyed at once.
// run: check --no-spurious
// verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int n_waiting, n_passed;

static void *pass(void *argument) {
    pthread_cond_t *open = argument;
    pthread_mutex_lock(&mutex);
    n_waiting++;
    pthread_cond_wait(open, &mutex);
    n_passed++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_cond_t *open = malloc(sizeof *open);
    int is_over = 0;
    assert(pthread_cond_init(open, 0) == 0);
    pthread_create(&a, 0, pass, open);
    pthread_create(&b, 0, pass, open);
    while (!is_over) {
        pthread_mutex_lock(&mutex);
        is_over = n_waiting == 2;
        if (is_over) {
            pthread_cond_broadcast(open);
            pthread_cond_destroy(open);
            free(open);
        }
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n_passed == 2);
    return 0;
}

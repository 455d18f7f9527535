// A wait may end for no reason, here where nobody ever signals.
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready;

int main(void) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&changed, &mutex);
    assert(is_ready); // fails
    pthread_mutex_unlock(&mutex);
    return 0;
}

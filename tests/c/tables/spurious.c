// A wait may end without a signal, unless one says it may not.
// run: check --tabled => violated assertion
// run: check --tabled --no-spurious => verified
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_full;

static void *fill(void *unused) {
    pthread_mutex_lock(&lock);
    is_full = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, fill, 0);
    if (!is_full)
        pthread_cond_wait(&changed, &lock);
    assert(is_full); // fails
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}

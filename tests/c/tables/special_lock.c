// A lock of a special kind is not a plain one: this thread may lock it twice.
// run: check --tabled => unknown pthread_mutex_lock(&lock)
// run: check => verified
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

// `rand` of two threads under a lock does not race.
// run: check --library-races --property race
// verdict: verified
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *draw(void *unused) {
    pthread_mutex_lock(&lock);
    rand();
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, draw, 0);
    draw(0);
    pthread_join(thread, 0);
    return 0;
}

// Values of a thread that ends go to their destructors, in rounds.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static pthread_key_t key;
static int n_calls;

static void again(void *value) {
    n_calls++;
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, value);
}

static void *run(void *argument) {
    assert(pthread_getspecific(key) == 0);
    pthread_setspecific(key, &key);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, again);
    pthread_setspecific(key, &n_calls);
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    assert(n_calls == 4);
    assert(pthread_getspecific(key) == &n_calls);
    return 0;
}

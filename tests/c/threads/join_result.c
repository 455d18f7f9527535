// Joining gives what the thread returned; every thread has its own identity.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static pthread_t seen;

static void *twice(void *argument) {
    seen = pthread_self();
    assert(!pthread_equal(pthread_self(), *(pthread_t *)argument));
    return argument;
}

int main(void) {
    pthread_t self = pthread_self(), thread;
    void *result;
    assert(pthread_create(&thread, 0, twice, &self) == 0);
    assert(pthread_join(thread, &result) == 0);
    assert(result == &self);
    assert(pthread_equal(seen, thread));
    return 0;
}

// Attributes are remembered.
// run: check
// verdict: verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void) {
    pthread_attr_t attributes;
    int number;
    size_t size;
    struct sched_param param = {.sched_priority = 5};
    assert(pthread_attr_init(&attributes) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &number) == 0 && number == PTHREAD_CREATE_JOINABLE);
    assert(pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_getdetachstate(&attributes, &number) == 0 && number == PTHREAD_CREATE_DETACHED);
    assert(pthread_attr_setdetachstate(&attributes, 7) == EINVAL);
    assert(pthread_attr_setstacksize(&attributes, 1) == EINVAL);
    assert(pthread_attr_setstacksize(&attributes, 65536) == 0);
    assert(pthread_attr_getstacksize(&attributes, &size) == 0 && size == 65536);
    assert(pthread_attr_setguardsize(&attributes, 0) == 0);
    assert(pthread_attr_getguardsize(&attributes, &size) == 0 && size == 0);
    assert(pthread_attr_setscope(&attributes, PTHREAD_SCOPE_SYSTEM) == 0);
    assert(pthread_attr_getscope(&attributes, &number) == 0 && number == PTHREAD_SCOPE_SYSTEM);
    assert(pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED) == 0);
    assert(pthread_attr_getinheritsched(&attributes, &number) == 0 && number == PTHREAD_EXPLICIT_SCHED);
    assert(pthread_attr_setschedpolicy(&attributes, SCHED_FIFO) == 0);
    assert(pthread_attr_getschedpolicy(&attributes, &number) == 0 && number == SCHED_FIFO);
    assert(pthread_attr_setschedparam(&attributes, &param) == 0);
    param.sched_priority = 0;
    assert(pthread_attr_getschedparam(&attributes, &param) == 0 && param.sched_priority == 5);
    assert(pthread_attr_destroy(&attributes) == 0);
    return 0;
}

// Each key has its value.
// run: check
// verdict: verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int main(void) {
    pthread_key_t a, b;
    int x, y;
    assert(pthread_key_create(&a, 0) == 0);
    assert(pthread_key_create(&b, 0) == 0);
    assert(pthread_getspecific(a) == 0);
    assert(pthread_setspecific(b, &y) == 0);
    assert(pthread_setspecific(a, &x) == 0);
    assert(pthread_getspecific(a) == &x && pthread_getspecific(b) == &y);
    assert(pthread_setspecific(a, &y) == 0);
    assert(pthread_getspecific(a) == &y);
    assert(pthread_setspecific(a, 0) == 0);
    assert(pthread_getspecific(a) == 0 && pthread_getspecific(b) == &y);
    assert(pthread_key_delete(b) == 0);
    assert(pthread_key_delete(b) == EINVAL);
    assert(pthread_setspecific(b, &x) == EINVAL);
    return 0;
}

// Readers see no half-done write.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;

static void *read(void *argument) {
    pthread_rwlock_rdlock(&lock);
    assert(a == b);
    pthread_rwlock_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, read, 0);
    pthread_create(&second, 0, read, 0);
    pthread_rwlock_wrlock(&lock);
    a++;
    b++;
    pthread_rwlock_unlock(&lock);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}

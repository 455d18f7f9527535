// An unknown input that one thread makes and another one looks at.
// run: check
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);

static int input;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *make(void *unused)
{
    int value = __VERIFIER_nondet_int();
    pthread_mutex_lock(&lock);
    input = value;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, make, 0);
    pthread_mutex_lock(&lock);
    int seen = input;
    pthread_mutex_unlock(&lock);
    pthread_join(other, 0);
    assert(seen != 123456); // fails
    return 0;
}

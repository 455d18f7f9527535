// Each thread has its own instance of a thread-local variable; a pointer to it shares it.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static _Thread_local int own = 5;

static void *change(void *unused)
{
    assert(own == 5);
    own = 6;
    assert(own == 6);
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, change, 0);
    own = 7;
    pthread_join(other, 0);
    assert(own == 7);
    return 0;
}

// A handler runs to its end before what it interrupted goes on, and before it is called again.
// run: check --isr tick
// with: --reduce none | --reduce global-access | --reduce dpor
// verdict: verified
#include <assert.h>
#include <pthread.h>

static volatile int is_active;

void tick(void)
{
    assert(!is_active);
    is_active = 1;
    is_active = 0;
}

static void *other(void *unused)
{
    assert(!is_active);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    assert(!is_active);
    pthread_join(thread, 0);
    return 0;
}

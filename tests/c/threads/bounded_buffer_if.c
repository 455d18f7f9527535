// A bounded buffer whose consumer does not look again when woken: a wake-up for no reason is enough.
// run: check --property assertion
// verdict: violated assertion
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int slot, is_full;

static void put(int value)
{
    pthread_mutex_lock(&lock);
    while (is_full)
        pthread_cond_wait(&changed, &lock);
    slot = value;
    is_full = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    if (!is_full)
        pthread_cond_wait(&changed, &lock);
    int value = slot;
    is_full = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return value;
}

static void *produce(void *unused)
{
    put(1);
    put(2);
    return unused;
}

int main(void)
{
    pthread_t producer;
    pthread_create(&producer, 0, produce, 0);
    assert(take() == 1); // fails
    assert(take() == 2); // fails
    pthread_join(producer, 0);
    return 0;
}

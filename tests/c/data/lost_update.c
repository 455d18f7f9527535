// Two threads read and write a counter of a record without a lock; an update gets lost.
// run: check --property assertion
// verdict: violated assertion
// models: promela violated, c violated
#include <assert.h>
#include <pthread.h>

struct counter {
    int value;
};

static struct counter counter;

static void *count(void *unused)
{
    int seen = counter.value;
    counter.value = seen + 1;
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, count, 0);
    pthread_create(&other, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(counter.value == 2); // fails
    return 0;
}

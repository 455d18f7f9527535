// Two threads count without a lock: between reading and writing another one may write.
// run: check --property assertion
// verdict: violated assertion
// assumption: sequentially consistent; data races were not looked for
#include <assert.h>
#include <pthread.h>

static int counter;

static void *count(void *unused)
{
    counter++;
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, count, 0);
    pthread_create(&two, 0, count, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 2); // fails
    return 0;
}

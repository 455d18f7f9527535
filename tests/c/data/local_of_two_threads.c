// Two threads run the same function: its local objects are two, so pointers to them are not in the model.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>
#include <pthread.h>

static void set(int *place)
{
    *place = 1;
}

static void *work(void *unused)
{
    int own = 0;
    set(&own);
    assert(own == 1);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, work, 0);
    pthread_create(&second, 0, work, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}

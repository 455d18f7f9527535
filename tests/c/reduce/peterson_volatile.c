// Peterson's algorithm as descriptors of flags that are reached by pointers: volatile keeps the compiler from
// changing it, so that it excludes as memory is taken to be sequentially consistent; to C it is still a race.
// run: check --property assertion,deadlock => verified
// run: check --property race => violated data-race
// with: --reduce global-access | --reduce dpor | --reduce superstep | --table-from 0
#include <assert.h>
#include <pthread.h>

struct lock {
    volatile int *mine, *others, *turn;
    int me;
};

static volatile int flags[2], turn;
static volatile int count;
static struct lock locks[2] = {{&flags[0], &flags[1], &turn, 0}, {&flags[1], &flags[0], &turn, 1}};

static void enter(struct lock *lock)
{
    *lock->mine = 1; // fails
    *lock->turn = lock->me; // fails
    while (*lock->others && *lock->turn == lock->me) { // fails
    }
}

static void leave(struct lock *lock)
{
    *lock->mine = 0; // fails
}

static void *worker(void *argument)
{
    struct lock *lock = argument;
    enter(lock);
    count++;
    assert(count <= 1);
    count--;
    leave(lock);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, worker, &locks[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}

// Three threads in a circle: one sentence says who holds what and waits for whom; the trace shows each of them waiting.
// run: check --width 60
// run: check --width 100
// run: check --width 160
// exit: 1
// stdout: waits for &pool.locks[1] held by thread
// stdout: , which waits for &pool.locks[
// stdout: it holds &pool.locks[0]
// stdout: in pthread_mutex_lock() at deadlock_circle.c:
// stdout: waits for &pool.locks[2],
#include <pthread.h>

static struct {
    int size;
    pthread_mutex_t locks[3];
} pool = {3, {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};

static int numbers[3] = {0, 1, 2};

static void *take(void *argument)
{
    int first = *(int *)argument;
    pthread_mutex_lock(&pool.locks[first]);
    pthread_mutex_lock(&pool.locks[(first + 1) % 3]);
    pthread_mutex_unlock(&pool.locks[(first + 1) % 3]);
    pthread_mutex_unlock(&pool.locks[first]);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, take, &numbers[0]);
    pthread_create(&two, 0, take, &numbers[1]);
    take(&numbers[2]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

// Szymanski's algorithm: a waiting room with two doors.
// verdict: verified
// row: small -DN=2 -DROUNDS=1
// row: medium -DN=2 -DROUNDS=8
// row: medium -DN=3 -DROUNDS=1
#include <assert.h>
#include <pthread.h>

static _Atomic int flag[N];
static int inside;

static void enter(int self)
{
    flag[self] = 1;
    for (int i = 0; i < N; i++)
        while (flag[i] >= 3) {
        }
    flag[self] = 3;
    int is_one_outside = 0;
    for (int i = 0; i < N; i++)
        if (flag[i] == 1) {
            is_one_outside = 1;
            break;
        }
    if (is_one_outside) {
        flag[self] = 2;
        for (int i = 0; flag[i] != 4; i = (i + 1) % N) {
        }
    }
    flag[self] = 4;
    for (int i = 0; i < self; i++)
        while (flag[i] >= 2) {
        }
}

static void leave(int self)
{
    for (int i = self + 1; i < N; i++)
        for (;;) {
            int seen = flag[i];
            if (seen < 2 || seen == 4)
                break;
        }
    flag[self] = 0;
}

static void *worker(void *argument)
{
    int self = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        enter(self);
        inside++;
        assert(inside == 1);
        inside--;
        leave(self);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

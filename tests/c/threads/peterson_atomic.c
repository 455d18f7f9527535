// Peterson's algorithm on atomic variables keeps the second thread out, and what it protects does not race.
// run: check
// verdict: verified
#include <assert.h>
#include <pthread.h>

static _Atomic int wants[2];
static _Atomic int turn;
static int inside;

static void enter(int self)
{
    wants[self] = 1;
    turn = 1 - self;
    while (wants[1 - self] && turn == 1 - self) {
    }

}

static void *worker(void *number)
{
    int self = number != 0;
    enter(self);
    inside++;
    assert(inside == 1);
    inside--;
    wants[self] = 0;
    return 0;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, 0, worker, &turn);
    worker(0);
    pthread_join(other, 0);
    return 0;
}

// Peterson's algorithm on plain variables is a data race, whatever it does.
// run: check
// verdict: violated data-race
#include <assert.h>
#include <pthread.h>

static int wants[2];
static int turn;
static int inside;

static void enter(int self)
{
    wants[self] = 1; // fails
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
    wants[self] = 0; // fails
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

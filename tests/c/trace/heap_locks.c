// Locks and data on the heap are named by the variables that lead to them, the same in all threads.
// run: check
// verdict: violated deadlock
// stdout: waits for &bank[1]->lock held by thread 1, which waits for &bank[0]->lock
// stdout: {"name":"bank[1]->balance","old":"indeterminate","new":"100"}
#include <pthread.h>
#include <stdlib.h>

struct account {
    int balance;
    pthread_mutex_t lock;
};

static struct account *bank[2];

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock); // fails
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *back(void *unused)
{
    transfer(bank[1], bank[0], 5);
    return unused;
}

int main(void)
{
    for (int i = 0; i < 2; i++) {
        bank[i] = malloc(sizeof *bank[i]);
        bank[i]->balance = 100;
        pthread_mutex_init(&bank[i]->lock, 0);
    }
    pthread_t thread;
    pthread_create(&thread, 0, back, 0);
    transfer(bank[0], bank[1], 7);
    pthread_join(thread, 0);
    return 0;
}

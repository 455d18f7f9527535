// Two threads change a record under its own lock.
// run: check
// verdict: verified
// models: promela verified, c verified
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
    int n_changes;
};

static struct account account = { PTHREAD_MUTEX_INITIALIZER, 10, 0 };

static void *deposit(void *unused)
{
    pthread_mutex_lock(&account.lock);
    account.balance += 5;
    account.n_changes++;
    pthread_mutex_unlock(&account.lock);
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, deposit, 0);
    pthread_create(&other, 0, deposit, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(account.balance == 20 && account.n_changes == 2);
    return 0;
}

// Transfers between accounts that lock the account with the lower number first.
// verdict: verified
// row: small -DACCOUNTS=3 -DN=2 -DROUNDS=1
// row: medium -DACCOUNTS=4 -DN=3 -DROUNDS=2
// row: medium -DACCOUNTS=6 -DN=5 -DROUNDS=2
// row: large -DACCOUNTS=7 -DN=6 -DROUNDS=2
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t locks[ACCOUNTS];
static int balances[ACCOUNTS];

static void transfer(int from, int to, int amount)
{
    int low = from < to ? from : to, high = from < to ? to : from;
    pthread_mutex_lock(&locks[low]);
    pthread_mutex_lock(&locks[high]);
    if (balances[from] >= amount) {
        balances[from] -= amount;
        balances[to] += amount;
    }
    pthread_mutex_unlock(&locks[high]);
    pthread_mutex_unlock(&locks[low]);
}

static void *client(void *argument)
{
    int self = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++)
        transfer((self + round) % ACCOUNTS, (self + round + 1) % ACCOUNTS, 1);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    int sum = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&locks[i], 0);
        balances[i] = 1;
    }
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, client, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < ACCOUNTS; i++)
        sum += balances[i];
    assert(sum == ACCOUNTS);
    return 0;
}

// Two locks in opposite orders.
// run: check
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static int balance;

static void *pay(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    balance += 1;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return unused;
}

int main(void)
{
    pthread_t one;
    pthread_create(&one, 0, pay, 0);
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    balance -= 1;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    pthread_join(one, 0);
    return 0;
}

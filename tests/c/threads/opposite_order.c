// Two locks taken in opposite order: each thread ends up waiting for the other.
// run: check
// verdict: violated deadlock
// stdout: no thread can go on
// stdout: pthread_mutex_lock() at
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right); // fails
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return unused;
}

static void *backward(void *unused)
{
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left); // fails
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, forward, 0);
    pthread_create(&two, 0, backward, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
